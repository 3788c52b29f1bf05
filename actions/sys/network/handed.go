package network

import (
	"context"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"syscall"

	"github.com/declprov/declprov/actions/grant"
)

// Handed is the network of one download of what the user hands over. The user has
// chosen its URL, which counts as a grant of its origin. Where a server redirects it to,
// the server has chosen: to public addresses, to what the spec is granted, and to none
// that is nearer than the server itself. No redirect leads to metadata.
type Handed struct {
	network *Network
	// from is how near the last server was, once there is one.
	from distance
}

// Handed returns the network for a download from the URL. A nil network grants nothing
// else.
func (n *Network) Handed(u *url.URL) *Handed {
	own := &Network{}
	if n != nil {
		own.rules, own.resolver = slices.Clone(n.rules), n.resolver
	}
	// A URL without an origin grants nothing: it reaches what redirects reach.
	if origin, err := grant.OriginOf(u); err == nil {
		own.rules = append(own.rules, grant.OriginRule{Pattern: origin.String(), Origin: origin})
	}
	return &Handed{network: own}
}

// Dial connects to "host:port", where a request of the download goes next.
func (h *Handed) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	d := net.Dialer{
		Timeout: dialTimeout, KeepAlive: keepAlive, Resolver: h.network.resolver,
		ControlContext: func(_ context.Context, _, resolved string, _ syscall.RawConn) error {
			return h.reachable(host, port, resolved)
		},
	}
	conn, err := d.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	h.arrived(conn.RemoteAddr().String())
	return conn, nil
}

// Through is for a request that a proxy forwards, which resolves names itself: it checks
// an address that is written out.
func (h *Handed) Through(u *url.URL) error {
	origin, err := grant.OriginOf(u)
	if err != nil {
		return err
	}
	if _, err := netip.ParseAddr(origin.Host); err != nil {
		h.from = public // as far as anybody knows here
		return nil
	}
	at := net.JoinHostPort(origin.Host, origin.Port)
	if err := h.reachable(origin.Host, origin.Port, at); err != nil {
		return err
	}
	h.arrived(at)
	return nil
}

func (h *Handed) arrived(at string) {
	h.from = public
	if addr, err := netip.ParseAddrPort(at); err == nil {
		h.from = reach(addr.Addr().WithZone(""))
	}
}

// reachable refuses an address that the download must not reach.
func (h *Handed) reachable(host, port, resolved string) error {
	at, err := netip.ParseAddrPort(resolved)
	if err != nil {
		return fmt.Errorf("%s: %q is not an address", host, resolved)
	}
	if name, err := grant.HostName(grant.Bracketed(host)); err == nil {
		host = name
	}
	rule, ok := h.network.granted(func(r grant.OriginRule) bool { return r.Reaches(host, port) })
	if !ok {
		rule = grant.OriginRule{Origin: grant.Origin{Host: "*"}}
	}
	if h.network.reachable(rule, host, resolved) == nil {
		return nil
	}
	addr := at.Addr().WithZone("")
	if near := reach(addr); near <= h.from && near != special {
		return nil
	}
	return &HandedError{Host: host, Address: at.String(), Kind: kindOfAddress(addr)}
}

// HandedError is the error of a download that leads where neither the user nor the spec's
// permissions say.
type HandedError struct{ Host, Address, Kind string }

func (e *HandedError) Error() string {
	what := e.Address
	if at, err := netip.ParseAddrPort(e.Address); err != nil || at.Addr().String() != e.Host {
		what = fmt.Sprintf("%s, which %s stands for", e.Address, e.Host)
	}
	return fmt.Sprintf("not permitted to connect to %s: it is %s, where no name and no redirect of a download may lead; "+
		"hand over a URL with that address, or download the file yourself and hand over its path", what, e.Kind)
}

// Is makes the error one of fs.ErrPermission's kind.
func (e *HandedError) Is(target error) bool { return target == fs.ErrPermission }
