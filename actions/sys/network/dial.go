package network

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"syscall"
	"time"

	"github.com/declprov/declprov/actions/grant"
)

const (
	dialTimeout = 15 * time.Second
	keepAlive   = 30 * time.Second
)

// Dial connects to "host:port" where that is granted, and where the address that
// the name stands for may be reached under that grant.
func (n *Network) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if host, err = grant.HostName(grant.Bracketed(host)); err != nil {
		return nil, err
	}
	rule, ok := n.granted(func(r grant.OriginRule) bool { return r.Reaches(host, port) })
	if !ok {
		return nil, n.refused(net.JoinHostPort(host, port), "")
	}
	d := net.Dialer{
		Timeout: dialTimeout, KeepAlive: keepAlive, Resolver: n.resolver,
		ControlContext: func(_ context.Context, _, resolved string, _ syscall.RawConn) error {
			return n.reachable(rule, host, resolved)
		},
	}
	return d.DialContext(ctx, network, net.JoinHostPort(host, port))
}

// reachable refuses an address that a name must not stand for.
func (n *Network) reachable(rule grant.OriginRule, host, resolved string) error {
	at, err := netip.ParseAddrPort(resolved)
	if err != nil {
		return fmt.Errorf("%s: %q is not an address", host, resolved)
	}
	addr := at.Addr().WithZone("")
	ok := false
	switch reach(addr) {
	case public:
		ok = true
	case private:
		ok = !rule.Wild()
	case loopback:
		ok = !rule.Wild() && (host == "localhost" || strings.HasSuffix(host, ".localhost"))
	}
	if ok {
		return nil
	}
	// Anything may be granted by its address.
	port := fmt.Sprint(at.Port())
	if _, named := n.granted(func(r grant.OriginRule) bool {
		return !r.Wild() && (r.Reaches(addr.String(), port) || r.Reaches(addr.Unmap().String(), port))
	}); named {
		return nil
	}
	what := net.JoinHostPort(addr.String(), port)
	if host != addr.String() {
		what = fmt.Sprintf("%s (which %s stands for)", what, host)
	}
	return n.refused(what, kindOfAddress(addr)+", which needs a grant of its own")
}

// distance is how an address may be reached.
type distance uint8

const (
	public   distance = iota
	private           // by a name that is granted as such
	loopback          // by localhost, or its own grant
	special           // by its own grant only
)

// The blocks of addresses that are more than they seem. Sources: IANA's
// registries of special-purpose addresses; the clouds' manuals for metadata.
var (
	carrierGrade = netip.MustParsePrefix("100.64.0.0/10")
	thisNetwork  = netip.MustParsePrefix("0.0.0.0/8")
	// translated hold an IPv4 address in their last four bytes (NAT64).
	// or are written as one (SIIT, RFC 7915; long deprecated).
	translated = []netip.Prefix{netip.MustParsePrefix("64:ff9b::/96"), netip.MustParsePrefix("::ffff:0:0:0/96"), netip.MustParsePrefix("::/96")}
	specials   = []netip.Prefix{
		netip.MustParsePrefix("192.0.0.0/24"),       // protocol assignments; Oracle's metadata
		netip.MustParsePrefix("100.100.100.200/32"), // Alibaba's metadata
		netip.MustParsePrefix("168.63.129.16/32"),   // Azure's wire server
		netip.MustParsePrefix("fd00:ec2::/32"),      // Amazon's metadata, and credentials of its containers
		netip.MustParsePrefix("fd20:ce::/64"),       // Google's metadata
		netip.MustParsePrefix("fd00:c1::/64"),       // Oracle's metadata
		netip.MustParsePrefix("fd00:42::/64"),       // Scaleway's metadata
		netip.MustParsePrefix("240.0.0.0/4"),        // reserved; broadcast
		netip.MustParsePrefix("64:ff9b:1::/48"),     // local NAT64
		netip.MustParsePrefix("2002::/16"),          // 6to4
		netip.MustParsePrefix("2001::/32"),          // Teredo
		netip.MustParsePrefix("fec0::/10"),          // site-local
	}
)

// reach says how an address may be reached. An address that stands for an IPv4
// one is judged as that one, but never as less than special where that one is
// not public.
func reach(addr netip.Addr) distance {
	if addr.Is4In6() {
		return reach(addr.Unmap())
	}
	for _, p := range specials {
		if p.Contains(addr) {
			return special
		}
	}
	switch {
	case addr.IsLoopback() || addr.IsUnspecified() || thisNetwork.Contains(addr):
		return loopback
	case addr.IsLinkLocalUnicast() || addr.IsMulticast():
		return special
	case addr.IsPrivate() || carrierGrade.Contains(addr):
		return private
	}
	for _, p := range translated {
		if p.Contains(addr) {
			last := addr.As16()
			if reach(netip.AddrFrom4([4]byte(last[12:]))) != public {
				return special
			}
		}
	}
	return public
}

// kindOfAddress names what an address is.
func kindOfAddress(addr netip.Addr) string {
	addr = addr.Unmap()
	switch reach(addr) {
	case loopback:
		return "an address of this machine"
	case private:
		return "a private address"
	case special:
		if addr.IsLinkLocalUnicast() {
			return "a link-local address, as cloud metadata has"
		}
		return "a special address"
	default:
		return "a public address"
	}
}
