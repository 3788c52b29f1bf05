// Package network gives an action access to the network, within its permissions.
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

// Network is the network within the permissions of a spec: the granted origins, and the
// addresses that their names may resolve to.
//
// Check checks a name before anything is resolved. Dial checks the address that it connects
// to, so a name that resolves to another address the second time is no way around the check.
//
// It is safe for concurrent use.
type Network struct {
	rules       []grant.OriginRule
	fingerprint string
	// resolver is set by tests; nil means the system's.
	resolver *net.Resolver
}

// New returns the network under the rules, each of access Connect. A pattern is an origin:
// scheme, host, and a port unless it is the scheme's default. A host or port `*` matches
// any; a host that begins with `*.` matches any subdomain. A path is ignored. `\` quotes a
// character (see OriginPattern).
func New(rules []grant.Rule) (*Network, error) {
	return (&Network{}).WithRules(rules)
}

// WithRules returns the same network under other rules, for grants that differ from call to
// call.
func (n *Network) WithRules(rules []grant.Rule) (*Network, error) {
	n = &Network{resolver: n.resolver}
	for _, r := range rules {
		if r.Access != grant.Connect {
			return nil, fmt.Errorf("a grant of hosts must have access connect, got %q with another access", r.Pattern)
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

// Check returns nil if the origin is granted. It does not use the network.
func (n *Network) Check(o grant.Origin) error {
	rule, ok := n.findRule(func(r grant.OriginRule) bool { return r.Matches(o) })
	if !ok {
		return n.refused(o.String(), "")
	}
	if !rule.Wild() {
		return nil
	}
	if addr, err := netip.ParseAddr(o.Host); err == nil && classify(addr) != public {
		return n.refused(o.String(), kindOfAddress(addr)+", which a wildcard does not cover")
	}
	return nil
}

// CheckProxy returns nil if the origin of the proxy is granted. It makes no difference who
// chose the proxy.
func (n *Network) CheckProxy(u *url.URL) error {
	if u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("invalid scheme %q (use http or https)", u.Scheme)
	}
	origin, err := grant.OriginOf(u)
	if err != nil {
		return err
	}
	return n.Check(origin)
}

// findRule returns the first rule that matches, preferring rules without a wildcard.
func (n *Network) findRule(matches func(grant.OriginRule) bool) (grant.OriginRule, bool) {
	var best grant.OriginRule
	found := false
	for _, r := range n.rules {
		if matches(r) && (!found || best.Wild() && !r.Wild()) {
			best, found = r, true
		}
	}
	return best, found
}

// Ports returns the sorted ports of the granted origins; all reports that some grant allows
// any port. It is for a sandbox that distinguishes ports, but not hosts.
func (n *Network) Ports() (ports []uint16, all bool) {
	for _, r := range n.rules {
		port, err := strconv.ParseUint(r.Origin.Port, 10, 16)
		if err != nil { // the port is `*`
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

// Fingerprint returns a text that differs between networks with different rules.
func (n *Network) Fingerprint() string { return n.fingerprint }

// HostError reports an origin that a spec's permissions do not grant.
type HostError struct {
	// Origin is the requested origin.
	Origin string
	// Why says why the address is special, or is "".
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
		b.WriteString("the spec may not connect to any host")
	} else {
		fmt.Fprintf(&b, "the spec may connect only to %s", grant.QuoteAll(e.Granted))
	}
	b.WriteString(" (choose another host, or ask the author of the spec to add it to permissions.hosts)")
	return b.String()
}

// Is reports that the error is an fs.ErrPermission.
func (e *HostError) Is(target error) bool { return target == fs.ErrPermission }
