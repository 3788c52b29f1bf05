package session

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/actions/http/request"
)

// Credentials belong to the block that declares them: those in the block of defaults to
// the origin of its baseURL, or to those that it lists, wherever a step goes; those of a
// step to where the step itself says that it goes. So nobody who names a URL, be it
// another step, a user or a server, names who gets them.

// owner says to which origins the credentials and secret headers of a call belong.
type owner struct {
	// inherited says that the credentials are those of the block of defaults, asked that
	// the step asks for them by name.
	inherited, asked bool
	// home is the defaults' baseURL, or nil; listed are the defaults' auth.origins.
	home   *url.URL
	listed []grant.Origin
	// own are the origins that the step's own credentials list, anchor is where the step
	// itself says that it goes, nil where a value says it.
	own      []grant.Origin
	anchor   *url.URL
	ownsBase bool
}

// ownerOf reads what the block of defaults and the step say of origins. base is the call's
// baseURL, or nil.
func ownerOf(c *actions.Call, bases *request.Bases, base *url.URL) (o owner, err error) {
	o.ownsBase = c.SourceOf("baseURL") == actions.Own
	o.inherited, o.asked = c.SourceOf("auth") != actions.Own, c.SourceOf("auth") == actions.Requested
	if !o.ownsBase {
		o.home = base
	} else if text, ok := c.Defaults["baseURL"].(string); ok {
		if o.home, err = bases.Parse(text); err != nil {
			return o, err
		}
	}
	if o.inherited {
		o.listed, err = originsOf(c.Args["auth"])
		return o, err
	}
	if o.listed, err = originsOf(c.Defaults["auth"]); err != nil {
		return o, err
	}
	o.own, err = originsOf(c.Args["auth"])
	return o, err
}

// originsOf are those that credentials list.
func originsOf(auth any) ([]grant.Origin, error) {
	m, _ := auth.(map[string]any)
	list, _ := m["origins"].([]any)
	origins := make([]grant.Origin, 0, len(list))
	for _, item := range list {
		text, _ := item.(string)
		o, err := ExactOrigin(text)
		if err != nil {
			return nil, fmt.Errorf("auth.origins: %w", err)
		}
		origins = append(origins, o)
	}
	return origins, nil
}

// ExactOrigin is an origin without wildcards.
func ExactOrigin(text string) (grant.Origin, error) {
	o, err := grant.ParseOrigin(text)
	switch {
	case err != nil:
		return o, err
	case o.Port == "*":
		return o, fmt.Errorf("%q names no port; credentials go to origins that are named in full", text)
	case o.Scheme == "ssh":
		return o, fmt.Errorf("%q is not http or https", text)
	}
	return o, nil
}

// anchored notes where the step itself says that it goes.
func (o *owner) anchored(at request.Address, base *url.URL) {
	switch {
	case base != nil && o.ownsBase:
		o.anchor = base
	case !at.Chosen:
		o.anchor = at.URL
	default:
		o.anchor = base
	}
}

// sends reports whether the credentials go to a URL.
func (o *owner) sends(u *url.URL) (bool, error) {
	switch {
	case o.asked && !o.defaultsGo(u):
		return false, fmt.Errorf("`auth: \"default\"` would send credentials to %s://%s, which the defaults do not list in `auth: origins`", u.Scheme, u.Host)
	case o.inherited:
		return o.defaultsGo(u), nil
	case o.anchor == nil && len(o.own) == 0:
		return false, errors.New("auth belongs to no origin here, as a value decides where the request goes; give `baseURL` or `auth: origins`, or `auth: \"none\"`")
	}
	return request.SameOrigin(o.anchor, u) || lists(o.own, u), nil
}

// defaultsGo reports whether what the block of defaults declares goes to a URL.
func (o *owner) defaultsGo(u *url.URL) bool {
	if o.home == nil {
		return lists(o.listed, u)
	}
	return request.SameOrigin(o.home, u) || o.asked && lists(o.listed, u)
}

// withholds reports whether secret headers of the block of defaults do not go to an
// address. A block that names no origin has none that are secret, as vet sees to; what
// only looks secret by its name goes where the author says.
func (o *owner) withholds(at request.Address) bool {
	if o.home == nil && len(o.listed) == 0 {
		return at.Chosen
	}
	return !o.defaultsGo(at.URL)
}

// credential is what the names of headers that carry credentials have in them.
var credential = regexp.MustCompile(`(?i)auth|cookie|token|secret|key|password|session|signature`)

// carries says of the headers of a step which go to an address.
func (o *owner) carries(c *actions.Call, base *url.URL) request.Carries {
	return func(name string, at request.Address) (bool, error) {
		switch secret := c.HidesAny("headers."+name) || credential.MatchString(name); {
		case !secret:
			return true, nil
		case c.SourceOf("headers."+name) == actions.Inherited:
			return !o.withholds(at), nil
		default:
			return true, wander(name, at, base)
		}
	}
}

// carriesLogin says of the headers of a login which go to an address.
func carriesLogin(base *url.URL) request.Carries {
	return func(name string, at request.Address) (bool, error) {
		if !credential.MatchString(name) {
			return true, nil
		}
		return true, wander(name, at, base)
	}
}

// wander is the error of a secret header that would go where a value leads.
func wander(header string, at request.Address, base *url.URL) error {
	if !at.Chosen || request.SameOrigin(at.URL, base) {
		return nil
	}
	return fmt.Errorf("header %q would go to %s://%s, which a value chose and is not baseURL's origin; "+
		"leave the header out (null), or give that origin as the step's own baseURL", header, at.URL.Scheme, at.URL.Host)
}

func lists(origins []grant.Origin, u *url.URL) bool {
	o, err := request.OriginOf(u)
	return err == nil && slices.Contains(origins, o)
}
