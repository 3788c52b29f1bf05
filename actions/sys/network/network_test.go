package network

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions/grant"
)

func grants(t testing.TB, patterns ...string) *Network {
	t.Helper()
	var rules []grant.Rule
	for _, p := range patterns {
		rules = append(rules, grant.Rule{Access: grant.Connect, Pattern: p})
	}
	n, err := New(rules)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestNetworkCheck(t *testing.T) {
	for _, tc := range []struct {
		grant, origin string
		want          bool
	}{
		{"https://api.test", "https://api.test", true},
		{"https://api.test", "https://API.TEST.:443/x", true},
		{"https://api.test", "http://api.test", false},
		{"https://api.test", "https://api.test:8443", false},
		{"https://api.test/v1?x", "https://api.test/v2", true},
		{"https://api.test", "https://evil.test", false},
		{"https://api.test", "https://api.test.evil.test", false},
		{"https://api.test", "https://xapi.test", false},
		{"https://*.api.test", "https://eu.api.test", true},
		{"https://*.api.test", "https://a.eu.api.test", true},
		{"https://*.api.test", "https://api.test", false},
		{"https://*.api.test", "https://evilapi.test", false},
		{"https://*", "https://anything.test", true},
		{"https://*", "https://169.254.169.254", false},
		{"https://*", "https://10.0.0.1", false},
		{"https://*", "https://[::1]", false},
		{"https://*", "https://1.1.1.1", true},
		{"http://*:*", "http://anything.test:8080", true},
		{"http://api.test:*", "http://api.test:8080", true},
		{"http://127.0.0.1:8080", "http://127.0.0.1:8080", true},
		{"http://127.0.0.1:8080", "http://localhost:8080", false},
		{"http://169.254.169.254", "http://169.254.169.254/latest", true},
		{`http://\[::1\]:80`, "http://[0:0::1]", true},
		{`https://\a.test`, "https://a.test", true},
	} {
		o, err := grant.ParseOrigin(tc.origin)
		if err != nil {
			t.Error(err)
			continue
		}
		err = grants(t, tc.grant).Check(o)
		if (err == nil) != tc.want {
			t.Errorf("%s for %s: %v", tc.grant, tc.origin, err)
		}
		if err != nil && (!errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "add it to permissions.hosts")) {
			t.Errorf("%s: %v", tc.origin, err)
		}
		if tc.want && !grant.OriginCovers(tc.grant, tc.origin) {
			t.Errorf("%s does not cover %s", tc.grant, tc.origin)
		}
	}
	if grant.OriginCovers("https://api.test", "https://evil.test") || grant.OriginCovers("no origin", "https://x.test") {
		t.Error("an origin is covered that is not")
	}
}

func TestOriginsThatAreNone(t *testing.T) {
	for _, text := range []string{
		"api.test", "https://", "https://:443", "ftp://x.test", "https://user@x.test", "https://x.test:0", "https://x.test:65536", "https://x.test:a", "https://x.test:080",
		"https://bücher.test", "https://a b", "https://[::1", "https://[::1]x", "https://[fe80::1%eth0]", "https://127.1", "https://0x7f000001", "https://2130706433",
		"https://0177.0.0.1", "http://..", "http://.x", "http://a..b", "https://x.test\\.evil.test",
	} {
		if o, err := grant.ParseOrigin(text); err == nil && text != "https://x.test\\.evil.test" {
			t.Errorf("%q is %v", text, o)
		}
	}
	for _, pattern := range []string{"", "*", "api.test", `https://\*.evil.test`, "https://a*.test", "https://*evil.test", "https://x.test:\\*", "https://*.*.test"} {
		if _, err := New([]grant.Rule{{Access: grant.Connect, Pattern: pattern}}); err == nil {
			t.Errorf("%q is a grant", pattern)
		}
	}
	if _, err := New([]grant.Rule{{Access: grant.Read, Pattern: "https://x.test"}}); err == nil {
		t.Error("a grant of files connects")
	}
}

// TestReachable are addresses that names stand for, and under which grants.
func TestReachable(t *testing.T) {
	for _, tc := range []struct {
		addr                  string
		exact, wild, loopback bool
	}{
		{"93.184.216.34", true, true, true},
		{"2606:2800:220:1::1", true, true, true},
		{"10.0.0.1", true, false, true},
		{"192.168.1.1", true, false, true},
		{"100.64.0.1", true, false, true},
		{"fd12::1", true, false, true},
		{"127.0.0.1", false, false, true},
		{"::1", false, false, true},
		{"0.0.0.0", false, false, true},
		{"::", false, false, true},
		{"::ffff:127.0.0.1", false, false, true},
		{"::ffff:10.0.0.1", true, false, true},
		{"169.254.169.254", false, false, false},
		{"::ffff:169.254.169.254", false, false, false},
		{"fe80::1", false, false, false},
		{"fd00:ec2::254", false, false, false},      // Amazon
		{"fd00:ec2::23", false, false, false},       // Amazon, containers
		{"fd20:ce::254", false, false, false},       // Google
		{"fd00:c1::a9fe:a9fe", false, false, false}, // Oracle
		{"fd00:42::42", false, false, false},        // Scaleway
		{"169.254.170.2", false, false, false},      // Amazon, containers
		{"169.254.170.23", false, false, false},     // Amazon, pods
		{"169.254.0.23", false, false, false},       // Tencent
		{"169.254.42.42", false, false, false},      // Scaleway
		{"fe80::a9fe:a9fe", false, false, false},    // OpenStack
		{"::ffff:100.100.100.200", false, false, false},
		{"::ffff:168.63.129.16", false, false, false},
		{"::ffff:0:a9fe:a9fe", false, false, false},
		{"64:ff9b::6464:64c8", false, false, false},
		{"64:ff9b::a83f:8110", false, false, false},
		{"2002:a9fe:a9fe::", false, false, false},
		{"100.100.100.200", false, false, false},
		{"168.63.129.16", false, false, false},
		{"192.0.0.192", false, false, false},
		{"64:ff9b::7f00:1", false, false, false},
		{"64:ff9b::a9fe:a9fe", false, false, false},
		{"64:ff9b::5db8:d822", true, true, true},
		{"64:ff9b:1::a00:1", false, false, false},
		{"2002:7f00:1::", false, false, false},
		{"2001:0:1::", false, false, false},
		{"::7f00:1", false, false, false},
		{"224.0.0.1", false, false, false},
		{"255.255.255.255", false, false, false},
		{"ff02::1", false, false, false},
	} {
		resolved := netip.AddrPortFrom(netip.MustParseAddr(tc.addr), 443).String()
		via := func(grant, host string) bool {
			n := grants(t, grant)
			return n.checkAddress(n.rules[0], host, resolved) == nil
		}
		got := []bool{via("https://api.test", "api.test"), via("https://*.test", "api.test"), via("https://localhost", "localhost")}
		if diff := cmp.Diff([]bool{tc.exact, tc.wild, tc.loopback}, got); diff != "" {
			t.Errorf("%s (by name, wildcard, localhost): %s", tc.addr, diff)
		}
		own := grants(t, "https://api.test", "https://"+grant.BracketHost(tc.addr))
		if err := own.checkAddress(own.rules[0], "api.test", resolved); err != nil {
			t.Errorf("%s with a grant of its own: %v", tc.addr, err)
		}
	}
}

// TestDial refuses before it connects.
func TestDial(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	address := listener.Addr().String()
	_, port, _ := net.SplitHostPort(address)
	dial := func(address string, patterns ...string) error {
		conn, err := grants(t, patterns...).Dial(context.Background(), "tcp", address)
		if err == nil {
			_ = conn.Close()
		}
		return err
	}
	if err := dial(address, "http://"+address); err != nil {
		t.Error(err)
	}
	if err := dial("localhost:"+port, "http://localhost:"+port); err != nil {
		t.Error(err)
	}
	for _, patterns := range [][]string{nil, {"http://*:*"}, {"http://127.0.0.1:1"}, {"https://*.test"}} {
		for _, to := range []string{address, "localhost:" + port} {
			if err := dial(to, patterns...); !errors.Is(err, fs.ErrPermission) {
				t.Errorf("%s under %v: %v", to, patterns, err)
			}
		}
	}
	if err := dial("2130706433:"+port, "http://*:*"); err == nil {
		t.Error("a number served as an address")
	}
}

func TestFingerprint(t *testing.T) {
	n := grants(t, "https://x.test")
	other, err := n.WithRules(nil)
	if err != nil {
		t.Fatal(err)
	}
	if n.Fingerprint() == other.Fingerprint() {
		t.Error("different grants look alike")
	}
}
