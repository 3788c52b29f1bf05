package strings_test

import (
	"bufio"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// message is a request, byte for byte.
type message struct {
	target  string
	headers []string // lines
	body    string
}

// header returns the value of a header, and how often it occurs.
func (m message) header(name string) (value string, count int) {
	for _, line := range m.headers {
		if v, ok := strings.CutPrefix(line, name+": "); ok {
			value, count = v, count+1
		}
	}
	return value, count
}

// recorder is a server that reads HTTP/1.1 itself: a library would hide or refuse some of
// what is sent.
type recorder struct {
	net.Listener
	mu       sync.Mutex
	messages map[string][]message // by the parameter n
}

func startRecorder(t *testing.T) *recorder {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &recorder{Listener: l, messages: map[string][]message{}}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go r.serve(conn)
		}
	}()
	return r
}

func (r *recorder) url() string { return "http://" + r.Addr().String() }

func (r *recorder) serve(conn net.Conn) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	for {
		m, err := readMessage(in)
		if err != nil {
			return
		}
		r.keep(m)
		if _, err := io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"); err != nil {
			return
		}
	}
}

func readMessage(in *bufio.Reader) (message, error) {
	var m message
	first, err := in.ReadString('\n')
	if err != nil {
		return m, err
	}
	m.target = first
	length := 0
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return m, err
		}
		if line = strings.TrimSuffix(line, "\r\n"); line == "" {
			break
		}
		if v, ok := strings.CutPrefix(line, "Content-Length: "); ok {
			if length, err = strconv.Atoi(v); err != nil {
				return m, err
			}
		}
		m.headers = append(m.headers, line)
	}
	body := make([]byte, length)
	_, err = io.ReadFull(in, body)
	m.body = string(body)
	return m, err
}

func (r *recorder) keep(m message) {
	n := ""
	if _, query, ok := strings.Cut(m.target, "?n="); ok {
		n, _, _ = strings.Cut(query, " ")
		n, _, _ = strings.Cut(n, "&")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.messages[n] = append(r.messages[n], m)
}

// takeMessages returns the requests of one call, and forgets them.
func (r *recorder) takeMessages(n string) []message {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := r.messages[n]
	delete(r.messages, n)
	return out
}

// unclaimed returns the number of requests that no call took.
func (r *recorder) unclaimed() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.messages)
}
