package network

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/netip"
	"sync/atomic"
	"testing"
)

// lies is a resolver that says of every name that it is one of the addresses, and of each
// look-up the next one.
func lies(addresses ...string) *net.Resolver {
	asked := &atomic.Int64{}
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		here, there := net.Pipe()
		go func() {
			defer there.Close()
			var size [2]byte
			if _, err := io.ReadFull(there, size[:]); err != nil {
				return
			}
			query := make([]byte, binary.BigEndian.Uint16(size[:]))
			if _, err := io.ReadFull(there, query); err != nil {
				return
			}
			reply := lie(query, func() netip.Addr {
				return netip.MustParseAddr(addresses[int(asked.Add(1)-1)%len(addresses)])
			})
			_, _ = there.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(reply))), reply...))
		}()
		return here, nil
	}}
}

// lie answers a DNS query (RFC 1035, section 4) for addresses of IPv4 with one, and any
// other with none.
func lie(query []byte, next func() netip.Addr) []byte {
	end := 12
	for query[end] != 0 {
		end += int(query[end]) + 1
	}
	end += 5 // the empty label, the type and the class
	reply := append([]byte{}, query[:end]...)
	reply[2], reply[3] = 0x81, 0x80             // a response, and recursion was there
	copy(reply[6:12], []byte{0, 0, 0, 0, 0, 0}) // no records behind the question
	if kind := binary.BigEndian.Uint16(query[end-4:]); kind == 1 {
		reply[7] = 1
		reply = append(reply, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4)
		reply = append(reply, next().AsSlice()...)
	}
	return reply
}

// TestResolversAreNotBelieved: a granted name reaches this machine only by a grant of the
// address, whatever a resolver says, and however often it changes its mind.
func TestResolversAreNotBelieved(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		says   []string
		grants []string
		want   []bool // of one connection after the other
	}{
		"a name":                             {[]string{"127.0.0.1"}, []string{"http://api.test:*"}, []bool{false}},
		"a name below a wildcard":            {[]string{"127.0.0.1"}, []string{"http://*.test:*"}, []bool{false}},
		"any name":                           {[]string{"127.0.0.1"}, []string{"http://*:*"}, []bool{false}},
		"another of this machine":            {[]string{"127.1.2.3"}, []string{"http://api.test:*"}, []bool{false}},
		"no address":                         {[]string{"0.0.0.0"}, []string{"http://api.test:*"}, []bool{false}},
		"metadata":                           {[]string{"169.254.169.254"}, []string{"http://api.test:*"}, []bool{false}},
		"a private address below a wildcard": {[]string{"10.0.0.1"}, []string{"http://*.test:*"}, []bool{false}},
		"a name, and the address":            {[]string{"127.0.0.1"}, []string{"http://api.test:*", "http://127.0.0.1:*"}, []bool{true}},
		"the address, and not the name":      {[]string{"127.0.0.1"}, []string{"http://127.0.0.1:*"}, []bool{false}},
		"another one the second time":        {[]string{"127.0.0.1", "127.0.0.2"}, []string{"http://api.test:*", "http://127.0.0.1:*"}, []bool{true, false, true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { listener.Close() })
			_, port, err := net.SplitHostPort(listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			n := grants(t, tc.grants...)
			n.resolver = lies(tc.says...)
			for i, want := range tc.want {
				conn, err := n.Dial(t.Context(), "tcp", "api.test:"+port)
				if err == nil {
					conn.Close()
				}
				if (err == nil) != want || err != nil && !errors.Is(err, fs.ErrPermission) {
					t.Errorf("connection %d: made: %v, want %v: %v", i+1, err == nil, want, err)
				}
			}
		})
	}
}
