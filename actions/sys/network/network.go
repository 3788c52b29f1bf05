// Package network is the network that an action may touch.
package network

import (
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/declprov/declprov/actions/grant"
)

// Network is the network as far as a spec's permissions reach: the origins that
// are granted by name, and the addresses that their names may stand for.
//
// A name is checked before anything is looked up (Check), an address once it is
// known and before it is dialled (Dial), so that a name which points elsewhere
// by the time of the second look-up leads nowhere.
//
// It is safe for concurrent use.
type Network struct {
	rules       []grant.OriginRule
	fingerprint string
	// resolver is a test's own; nil is the system's.
	resolver *net.Resolver
}

// New grants the rules, each of access Connect. The pattern is an origin:
// scheme, host, and a port unless it is the scheme's own. `*` for the host is
// any, `*.` in front of it any name below; `*` for the port is any. A path after
// it says nothing. `\` takes a character for itself (see OriginPattern).
func New(rules []grant.Rule) (*Network, error) {
	return (&Network{}).Granting(rules)
}

// Granting is the same network under other rules: for grants that differ from
// call to call.
func (n *Network) Granting(rules []grant.Rule) (*Network, error) {
	n = &Network{resolver: n.resolver}
	for _, r := range rules {
		if r.Access != grant.Connect {
			return nil, fmt.Errorf("a grant of hosts connects; %q does not", r.Pattern)
		}
		compiled, err := grant.CompileOrigin(r.Pattern)
		if err != nil {
			return nil, fmt.Errorf("permission %q: %w", r.Pattern, err)
		}
		n.rules = append(n.rules, compiled)
		n.fingerprint += strconv.Quote(r.Pattern)
	}
	return n, nil
}

// Check is nil where the origin is granted. It asks nothing of the network.
func (n *Network) Check(o grant.Origin) error {
	rule, ok := n.granted(func(r grant.OriginRule) bool { return r.Matches(o) })
	if !ok {
		return n.refused(o.String(), "")
	}
	if !rule.Wild() {
		return nil
	}
	if addr, err := netip.ParseAddr(o.Host); err == nil && reach(addr) != public {
		return n.refused(o.String(), kindOfAddress(addr)+", which a wildcard does not cover")
	}
	return nil
}

// CheckProxy returns nil if requests may go through the proxy at the URL: if its origin
// is granted, whoever chose the proxy.
func (n *Network) CheckProxy(u *url.URL) error {
	if u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("%q is not http or https", u.Scheme)
	}
	origin, err := grant.OriginOf(u)
	if err != nil {
		return err
	}
	return n.Check(origin)
}

// granted is the first rule that matches: one without a wildcard, if there is
// any.
func (n *Network) granted(matches func(grant.OriginRule) bool) (grant.OriginRule, bool) {
	var best grant.OriginRule
	found := false
	for _, r := range n.rules {
		if matches(r) && (!found || best.Wild() && !r.Wild()) {
			best, found = r, true
		}
	}
	return best, found
}

// Ports are those of the granted origins, sorted; all says that some grant leaves
// the port open. It is for what can tell ports apart, and not hosts.
func (n *Network) Ports() (ports []uint16, all bool) {
	for _, r := range n.rules {
		port, err := strconv.ParseUint(r.Origin.Port, 10, 16)
		if err != nil { // it is `*`
			return nil, true
		}
		ports = append(ports, uint16(port))
	}
	slices.Sort(ports)
	return slices.Compact(ports), false
}

func (n *Network) refused(what, why string) error {
	e := &HostError{Origin: what, Why: why}
	for _, r := range n.rules {
		e.Granted = append(e.Granted, r.Pattern)
	}
	return e
}

// Fingerprint tells networks with different rules apart.
func (n *Network) Fingerprint() string { return n.fingerprint }

// HostError is the error of an origin that a spec's permissions do not grant.
type HostError struct {
	// Origin is what was asked for.
	Origin string
	// Why says what is special about it, or is "".
	Why     string
	Granted []string
}

func (e *HostError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: not permitted to connect; ", e.Origin)
	if e.Why != "" {
		fmt.Fprintf(&b, "it is %s; ", e.Why)
	}
	if len(e.Granted) == 0 {
		b.WriteString("the spec may connect to nothing")
	} else {
		fmt.Fprintf(&b, "the spec may connect only to %s", grant.QuoteAll(e.Granted))
	}
	b.WriteString(": choose another, or have the author of the spec add it to permissions.hosts")
	return b.String()
}

// Is makes the error one of fs.ErrPermission's kind.
func (e *HostError) Is(target error) bool { return target == fs.ErrPermission }
