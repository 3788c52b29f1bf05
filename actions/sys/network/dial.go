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

// Dial connects to "host:port" if that is granted, and if the grant covers the address that
// the name resolves to.
func (n *Network) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if host, err = grant.HostName(grant.BracketHost(host)); err != nil {
		return nil, err
	}
	rule, ok := n.findRule(func(r grant.OriginRule) bool { return r.Reaches(host, port) })
	if !ok {
		return nil, n.refused(net.JoinHostPort(host, port), "")
	}
	d := net.Dialer{
		Timeout: dialTimeout, KeepAlive: keepAlive, Resolver: n.resolver,
		ControlContext: func(_ context.Context, _, resolved string, _ syscall.RawConn) error {
			return n.checkAddress(rule, host, resolved)
		},
	}
	return d.DialContext(ctx, network, net.JoinHostPort(host, port))
}

// checkAddress refuses an address that a name must not resolve to.
func (n *Network) checkAddress(rule grant.OriginRule, host, resolved string) error {
	at, err := netip.ParseAddrPort(resolved)
	if err != nil {
		return fmt.Errorf("%s: invalid address %q", host, resolved)
	}
	addr := at.Addr().WithZone("")
	ok := false
	switch classify(addr) {
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
	// A grant of the literal address covers any address.
	port := fmt.Sprint(at.Port())
	if _, named := n.findRule(func(r grant.OriginRule) bool {
		return !r.Wild() && (r.Reaches(addr.String(), port) || r.Reaches(addr.Unmap().String(), port))
	}); named {
		return nil
	}
	what := net.JoinHostPort(addr.String(), port)
	if host != addr.String() {
		what = fmt.Sprintf("%s (which %s resolves to)", what, host)
	}
	return n.refused(what, kindOfAddress(addr)+", which requires its own grant")
}

// class is a class of addresses, which says what grant covers an address.
type class uint8

const (
	public   class = iota
	private        // requires a grant without a wildcard
	loopback       // requires a grant of localhost, or of the literal address
	special        // requires a grant of the literal address
)

// Blocks of special addresses. Sources: IANA's registries of special-purpose addresses; the
// manuals of cloud providers for metadata services.
var (
	carrierGrade = netip.MustParsePrefix("100.64.0.0/10")
	thisNetwork  = netip.MustParsePrefix("0.0.0.0/8")
	// translated are addresses with an IPv4 address in their last four bytes: NAT64, SIIT
	// (RFC 7915), and the deprecated IPv4-compatible addresses.
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

// classify returns the class of an address. An address with a translated IPv4 address is
// public if that address is public, and special otherwise.
func classify(addr netip.Addr) class {
	if addr.Is4In6() {
		return classify(addr.Unmap())
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
			if classify(netip.AddrFrom4([4]byte(last[12:]))) != public {
				return special
			}
		}
	}
	return public
}

// kindOfAddress describes the class of an address for a message.
func kindOfAddress(addr netip.Addr) string {
	addr = addr.Unmap()
	switch classify(addr) {
	case loopback:
		return "an address of this machine"
	case private:
		return "a private address"
	case special:
		if addr.IsLinkLocalUnicast() {
			return "a link-local address, as used by cloud metadata services"
		}
		return "a special address"
	default:
		return "a public address"
	}
}
