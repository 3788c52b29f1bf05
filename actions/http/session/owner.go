package session

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"sync"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/actions/http/request"
)

// Credentials belong to the block that declares them. Those in the block of defaults belong
// to the origin of its baseURL and to the origins that it lists, independent of the URL of a
// step. Those of a step belong to the origin that the step itself spells out. So a URL that
// comes from another step, a user or a server never decides who receives credentials.

// owner determines to which origins the credentials and secret headers of a call belong.
type owner struct {
	// inherited says that the credentials are those of the block of defaults. requested says
	// that the step asks for them with `auth: "default"`.
	inherited, requested bool
	// defaultBase is the baseURL of the defaults, or nil. defaultOrigins are their
	// auth.origins.
	defaultBase    *url.URL
	defaultOrigins []grant.Origin
	// stepOrigins are the auth.origins of the step. anchor is the URL that the step itself
	// spells out, nil if it comes from a value. ownsBase says that the step gives the
	// baseURL.
	stepOrigins []grant.Origin
	anchor      *url.URL
	ownsBase    bool
}

// newOwner reads baseURL and auth.origins of the defaults and the step. base is the baseURL
// of the call, or nil.
func newOwner(c *actions.Call, bases *request.Bases, base *url.URL) (o owner, err error) {
	o.ownsBase = c.SourceOf("baseURL") == actions.Own
	o.inherited, o.requested = c.SourceOf("auth") != actions.Own, c.SourceOf("auth") == actions.Requested
	if !o.ownsBase {
		o.defaultBase = base
	} else if text, ok := c.Defaults["baseURL"].(string); ok {
		if o.defaultBase, err = bases.Parse(text); err != nil {
			return o, err
		}
	}
	if o.inherited {
		o.defaultOrigins, err = parseOrigins(c.Args["auth"])
		return o, err
	}
	if o.defaultOrigins, err = parseOrigins(c.Defaults["auth"]); err != nil {
		return o, err
	}
	o.stepOrigins, err = parseOrigins(c.Args["auth"])
	return o, err
}

// parseOrigins returns the origins of an argument `auth`: if it is a list, those of all its
// items, which apply to the whole list.
func parseOrigins(auth any) (origins []grant.Origin, err error) {
	items, _ := listOf(auth)
	for _, item := range items {
		m, _ := item.(map[string]any)
		list, _ := m["origins"].([]any)
		for _, listed := range list {
			text, _ := listed.(string)
			o, err := ParseExactOrigin(text)
			if err != nil {
				return nil, fmt.Errorf("auth.origins: %w", err)
			}
			origins = append(origins, o)
		}
	}
	return origins, nil
}

// ParseExactOrigin parses an http or https origin without wildcards.
func ParseExactOrigin(text string) (grant.Origin, error) {
	o, err := grant.ParseOrigin(text)
	switch {
	case err != nil:
		return o, err
	case o.Port == "*":
		return o, fmt.Errorf("%q has a wildcard port; expected an origin with an exact port, because it receives credentials", text)
	case o.Scheme != "http" && o.Scheme != "https":
		return o, fmt.Errorf("expected an http or https origin, got %q", text)
	}
	return o, nil
}

// setAnchor sets the anchor from the address of the request.
func (o *owner) setAnchor(at request.Address, base *url.URL) {
	switch {
	case base != nil && o.ownsBase:
		o.anchor = base
	case !at.FromValue:
		o.anchor = at.URL
	default:
		o.anchor = base
	}
}

// sendsTo reports whether the credentials are sent to a URL.
func (o *owner) sendsTo(u *url.URL) (bool, error) {
	switch {
	case o.requested && !o.sendsDefaultsTo(u):
		return false, fmt.Errorf("`auth: \"default\"` would send credentials to %s://%s, which `auth: origins` of the defaults does not list; add that origin there, or remove `auth: \"default\"`", u.Scheme, u.Host)
	case o.inherited:
		return o.sendsDefaultsTo(u), nil
	case o.anchor == nil && len(o.stepOrigins) == 0:
		return false, errors.New("auth has no origin, because a value decides where the request goes; add `baseURL`, `auth: origins` or `auth: \"none\"`")
	}
	return request.SameOrigin(o.anchor, u) || containsOrigin(o.stepOrigins, u), nil
}

// sendsDefaultsTo reports whether the credentials and secret headers of the defaults are sent
// to a URL.
func (o *owner) sendsDefaultsTo(u *url.URL) bool {
	if o.defaultBase == nil {
		return containsOrigin(o.defaultOrigins, u)
	}
	return request.SameOrigin(o.defaultBase, u) || o.requested && containsOrigin(o.defaultOrigins, u)
}

// withholdsHeaders reports whether secret headers of the defaults are not sent to an address.
// vet refuses secret headers in a block without an origin, so there this only concerns
// headers that look secret by name: they go to every address that the author chose.
func (o *owner) withholdsHeaders(at request.Address) bool {
	if o.defaultBase == nil && len(o.defaultOrigins) == 0 {
		return at.FromValue
	}
	return !o.sendsDefaultsTo(at.URL)
}

// credentialName matches the names of headers that may carry credentials.
var credentialName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)auth|cookie|token|secret|key|password|session|signature`)
})

// headerFilter returns a filter for the headers of a step.
func (o *owner) headerFilter(c *actions.Call, base *url.URL) request.HeaderFilter {
	return func(name string, at request.Address) (bool, error) {
		switch secret := c.HidesAny("headers."+name) || credentialName().MatchString(name); {
		case !secret:
			return true, nil
		case c.SourceOf("headers."+name) == actions.Inherited:
			return !o.withholdsHeaders(at), nil
		default:
			return true, checkHeaderOrigin(name, at, base)
		}
	}
}

// loginHeaderFilter returns a filter for the headers of a login.
func loginHeaderFilter(base *url.URL) request.HeaderFilter {
	return func(name string, at request.Address) (bool, error) {
		if !credentialName().MatchString(name) {
			return true, nil
		}
		return true, checkHeaderOrigin(name, at, base)
	}
}

// checkHeaderOrigin returns an error if a value, not the author, decided that a secret header
// goes to this address.
func checkHeaderOrigin(header string, at request.Address, base *url.URL) error {
	if !at.FromValue || request.SameOrigin(at.URL, base) {
		return nil
	}
	return fmt.Errorf("the secret header %q would be sent to %s://%s, which comes from a value and is not the origin of baseURL; "+
		"remove the header (null), or set the step's baseURL to that origin", header, at.URL.Scheme, at.URL.Host)
}

func containsOrigin(origins []grant.Origin, u *url.URL) bool {
	o, err := request.OriginOf(u)
	return err == nil && slices.Contains(origins, o)
}
