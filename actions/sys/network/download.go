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

// Download is the network of one download of an asset. The user chose its URL, which counts
// as a grant of its origin. A redirect is chosen by the server. It may lead to public
// addresses, to what the spec's permissions grant, and to addresses that are no more private
// than the server's. It never leads to a special address, such as a metadata service.
type Download struct {
	network *Network
	// from is the class of the last server's address, once there was one.
	from class
}

// ForDownload returns the network for a download from the URL. A nil network grants nothing
// else.
func (n *Network) ForDownload(u *url.URL) *Download {
	own := &Network{}
	if n != nil {
		own.rules, own.resolver = slices.Clone(n.rules), n.resolver
	}
	// A URL without an origin grants nothing: it may reach what a redirect may reach.
	if origin, err := grant.OriginOf(u); err == nil {
		own.rules = append(own.rules, grant.OriginRule{Pattern: origin.String(), Origin: origin})
	}
	return &Download{network: own}
}

// Dial connects to "host:port" for the next request of the download.
func (h *Download) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	d := net.Dialer{
		Timeout: dialTimeout, KeepAlive: keepAlive, Resolver: h.network.resolver,
		ControlContext: func(_ context.Context, _, resolved string, _ syscall.RawConn) error {
			return h.checkAddress(host, port, resolved)
		},
	}
	conn, err := d.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	h.setFrom(conn.RemoteAddr().String())
	return conn, nil
}

// CheckProxied checks a request that goes through a proxy. The proxy resolves names, so only
// a literal address is checked.
func (h *Download) CheckProxied(u *url.URL) error {
	origin, err := grant.OriginOf(u)
	if err != nil {
		return err
	}
	if _, err := netip.ParseAddr(origin.Host); err != nil {
		h.from = public // the address that the proxy resolves is not known
		return nil
	}
	at := net.JoinHostPort(origin.Host, origin.Port)
	if err := h.checkAddress(origin.Host, origin.Port, at); err != nil {
		return err
	}
	h.setFrom(at)
	return nil
}

// setFrom sets the class of the last server's address.
func (h *Download) setFrom(at string) {
	h.from = public
	if addr, err := netip.ParseAddrPort(at); err == nil {
		h.from = classify(addr.Addr().WithZone(""))
	}
}

// checkAddress refuses an address that the download must not reach.
func (h *Download) checkAddress(host, port, resolved string) error {
	at, err := netip.ParseAddrPort(resolved)
	if err != nil {
		return fmt.Errorf("%s: invalid address %q", host, resolved)
	}
	if name, err := grant.HostName(grant.BracketHost(host)); err == nil {
		host = name
	}
	rule, ok := h.network.findRule(func(r grant.OriginRule) bool { return r.Reaches(host, port) })
	if !ok {
		rule = grant.OriginRule{Origin: grant.Origin{Host: "*"}}
	}
	if h.network.checkAddress(rule, host, resolved) == nil {
		return nil
	}
	addr := at.Addr().WithZone("")
	if c := classify(addr); c <= h.from && c != special {
		return nil
	}
	return &DownloadError{Host: host, Address: at.String(), Kind: kindOfAddress(addr)}
}

// DownloadError reports an address that a download must not reach, because neither the user's
// URL nor the spec's permissions name it.
type DownloadError struct{ Host, Address, Kind string }

func (e *DownloadError) Error() string {
	what := e.Address
	if at, err := netip.ParseAddrPort(e.Address); err != nil || at.Addr().String() != e.Host {
		what = fmt.Sprintf("%s, which %s resolves to", e.Address, e.Host)
	}
	return fmt.Sprintf("not permitted to connect to %s: it is %s, which a download may not reach by a name or redirect "+
		"(pass a URL with that address, or download the file and pass its path)", what, e.Kind)
}

// Is reports that the error is an fs.ErrPermission.
func (e *DownloadError) Is(target error) bool { return target == fs.ErrPermission }
