package network

import (
	"errors"
	"io/fs"
	"net"
	"net/url"
	"testing"
)

// TestHanded are the addresses that a download reaches, from the URL that the user hands
// over to where servers send it.
func TestHanded(t *testing.T) {
	t.Parallel()
	const data = "http://data.test/x"
	for name, tc := range map[string]struct {
		url    string
		grants []string
		from   string // the address of the server before, "" for the first request
		host   string
		at     string
		want   bool
	}{
		"a public address":                   {data, nil, "", "data.test", "93.184.216.34:80", true},
		"a private address":                  {data, nil, "", "data.test", "10.0.0.1:80", true},
		"a name for this machine":            {data, nil, "", "data.test", "127.0.0.1:80", false},
		"a name for metadata":                {data, nil, "", "data.test", "169.254.169.254:80", false},
		"localhost":                          {"http://localhost/x", nil, "", "localhost", "127.0.0.1:80", true},
		"this machine by its address":        {"http://127.0.0.1:8000/x", nil, "", "127.0.0.1", "127.0.0.1:8000", true},
		"metadata by its address":            {"http://169.254.169.254/x", nil, "", "169.254.169.254", "169.254.169.254:80", true},
		"from a public address to another":   {data, nil, "93.184.216.34:80", "other.test", "93.184.216.35:80", true},
		"from a public one to a private":     {data, nil, "93.184.216.34:80", "other.test", "10.0.0.1:80", false},
		"to a private one that is written":   {data, nil, "93.184.216.34:80", "10.0.0.1", "10.0.0.1:80", false},
		"to a mapped one":                    {data, nil, "93.184.216.34:80", "::ffff:10.0.0.1", "[::ffff:10.0.0.1]:80", false},
		"to this machine":                    {data, nil, "93.184.216.34:80", "127.0.0.1", "127.0.0.1:80", false},
		"to localhost":                       {data, nil, "93.184.216.34:80", "localhost", "127.0.0.1:80", false},
		"to this network":                    {data, nil, "93.184.216.34:80", "0.0.0.0", "0.0.0.0:80", false},
		"to link-local":                      {data, nil, "93.184.216.34:80", "fe80::1", "[fe80::1]:80", false},
		"to metadata":                        {data, nil, "93.184.216.34:80", "169.254.169.254", "169.254.169.254:80", false},
		"from private to private":            {data, nil, "10.0.0.1:80", "store.test", "10.0.0.2:80", true},
		"from private to this machine":       {data, nil, "10.0.0.1:80", "localhost", "127.0.0.1:80", false},
		"from private to metadata":           {data, nil, "10.0.0.1:80", "other.test", "169.254.169.254:80", false},
		"from this machine to itself":        {"http://127.0.0.1:8000/x", nil, "127.0.0.1:8000", "localhost", "127.0.0.1:9000", true},
		"from this machine to private":       {"http://127.0.0.1:8000/x", nil, "127.0.0.1:8000", "store.test", "10.0.0.2:80", true},
		"from this machine to metadata":      {"http://127.0.0.1:8000/x", nil, "127.0.0.1:8000", "169.254.169.254", "169.254.169.254:80", false},
		"from metadata to other metadata":    {"http://169.254.169.254/x", nil, "169.254.169.254:80", "fd00:ec2::254", "[fd00:ec2::254]:80", false},
		"back to what was handed over":       {"http://10.0.0.1/x", nil, "93.184.216.34:80", "10.0.0.1", "10.0.0.1:80", true},
		"another port of it":                 {"http://10.0.0.1/x", nil, "93.184.216.34:80", "10.0.0.1", "10.0.0.1:81", false},
		"to a granted name":                  {data, []string{"http://store.test"}, "93.184.216.34:80", "store.test", "10.0.0.2:80", true},
		"to a granted name for metadata":     {data, []string{"http://store.test"}, "93.184.216.34:80", "store.test", "169.254.169.254:80", false},
		"to a granted address":               {data, []string{"http://127.0.0.1:*"}, "93.184.216.34:80", "127.0.0.1", "127.0.0.1:80", true},
		"to granted metadata":                {data, []string{"http://169.254.169.254"}, "93.184.216.34:80", "169.254.169.254", "169.254.169.254:80", true},
		"to a private name below a wildcard": {data, []string{"http://*.test"}, "93.184.216.34:80", "store.test", "10.0.0.2:80", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u, err := url.Parse(tc.url)
			if err != nil {
				t.Fatal(err)
			}
			h := grants(t, tc.grants...).ForDownload(u)
			if tc.from != "" {
				h.setFrom(tc.from)
			}
			_, port, err := net.SplitHostPort(tc.at)
			if err != nil {
				t.Fatal(err)
			}
			err = h.checkAddress(tc.host, port, tc.at)
			if (err == nil) != tc.want || err != nil && !errors.Is(err, fs.ErrPermission) {
				t.Errorf("%v, want that it is reached: %v", err, tc.want)
			}
		})
	}
}

// TestHandedDials: it is the connection's own address that decides, also for what comes
// after it, and not what a resolver said before.
func TestHandedDials(t *testing.T) {
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
	for first, want := range map[string]bool{"data.test": false, "127.0.0.1": true, "localhost": true} {
		t.Run(first, func(t *testing.T) {
			t.Parallel()
			n := grants(t)
			n.resolver = lies("127.0.0.1")
			h := n.ForDownload(&url.URL{Scheme: "http", Host: net.JoinHostPort(first, port)})
			for _, host := range []string{first, "127.0.0.1", "other.test"} {
				conn, err := h.Dial(t.Context(), "tcp", net.JoinHostPort(host, port))
				if err == nil {
					conn.Close()
				}
				if (err == nil) != want || err != nil && !errors.Is(err, fs.ErrPermission) {
					t.Errorf("%s: connected: %v, want %v: %v", host, err == nil, want, err)
				}
			}
		})
	}
}
