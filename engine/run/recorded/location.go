package recorded

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec/diag"
)

// An id is the id of an object at one place: under the address of another server, or with another tenant in the path, it may be that
// of somebody else's object. So a state records the settings that decide the place, and a call with other settings does not send
// anything before a refresh has looked.

// Moved returns the settings that have other values in a location than in a recorded one. A setting that one of them lacks tells
// nothing: another version of the spec recorded the state, or the value is not known yet.
func Moved(was, is string) (names []string) {
	if was == is {
		return nil
	}
	before := map[string]string{}
	for _, text := range strings.Fields(was) {
		name, hash, _ := strings.Cut(text, "=")
		before[name] = hash
	}
	for _, text := range strings.Fields(is) {
		name, hash, _ := strings.Cut(text, "=")
		if recorded, there := before[name]; there && recorded != hash {
			names = append(names, name)
		}
	}
	return names
}

// MovedError returns the error of a call that would send something about the object of a state to another place.
func MovedError(of *plan.Resource, s State, key string, settings []string) error {
	does := "If it leads to the same objects, run `pulumi refresh --run-program`, which looks at them there. Otherwise restore the value"
	switch {
	case s.Private.Failed != nil:
		does = "Restore the value, and complete there what has stopped halfway: `pulumi up`"
	case of.Read == nil:
		does = "If it leads to the same objects, write `@replace(false)` on the setting in the spec. Otherwise restore the value"
	}
	return fmt.Errorf("nothing was sent: the provider's configuration has another value of %s than when this %s was made or last read, and what has the id %q there may be somebody else's. %s, "+
		"or remove the resource from the state, which leaves the object alone: `pulumi state delete '%s'`", diag.And(settings), of.Spec.Name, CurrentID(s), does, key)
}

// HashLocation returns a hash of the value of a setting that says where objects are. Values that lead to the same place have the same.
func HashLocation(text string) string {
	sum := sha256.Sum256([]byte(canonicalAddress(text)))
	return hex.EncodeToString(sum[:8])
}

// canonicalAddress returns a text without what leads to the same place: slashes at its end and, in a URL, the case of the host, the
// port of the scheme, and credentials.
func canonicalAddress(text string) string {
	if u, err := url.Parse(text); err == nil && u.Scheme != "" && u.Host != "" {
		u.User, u.Host = nil, strings.ToLower(u.Host)
		if u.Port() == map[string]string{"http": "80", "https": "443"}[u.Scheme] {
			u.Host = strings.TrimSuffix(u.Host, ":"+u.Port())
		}
		text = u.String()
	}
	if short := strings.TrimRight(text, "/"); short != "" {
		return short
	}
	return text
}
