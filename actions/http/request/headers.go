package request

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/textproto"
	"slices"
	"strings"

	"github.com/declprov/declprov/actions"
)

// IsReserved reports whether a header says how a request is sent, which is not for a spec
// to say.
func IsReserved(name string) bool {
	switch textproto.CanonicalMIMEHeaderKey(name) {
	case "Host", "Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive", "Upgrade", "Te",
		"Trailer", "Expect", "Accept-Encoding", "Proxy-Authorization", "Proxy-Connection", "Referer":
		return true
	default:
		return false
	}
}

// IsToken reports whether a text can be a header's name (RFC 9110, 5.6.2).
func IsToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return s != ""
}

// setHeaders adds the headers of the arguments, as far as they go to the request's
// address, and those that follow from the body and the answer that is wanted.
func (r *Request) setHeaders(headers map[string]any, accept string, goes Carries) error {
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		if headers[name] == nil {
			continue
		}
		value, err := actions.TextOf(headers[name])
		if err != nil {
			return fmt.Errorf("header %q: %w", name, err)
		}
		switch sent, err := goes(name, r.At); {
		case err != nil:
			return err
		case !sent:
			continue
		}
		if err := setHeader(r.Headers, name, value); err != nil {
			return err
		}
	}
	byDefault := func(name, value string) {
		if value != "" && r.Headers.Get(name) == "" {
			r.Headers.Set(name, value)
		}
	}
	if r.Body != nil {
		byDefault("Content-Type", r.Body.contentType)
	}
	byDefault("Accept", accept)
	byDefault("User-Agent", "declprov")
	return nil
}

// accept is what the answer may be, by the argument `response`.
func accept(response string) string {
	switch response {
	case "json":
		return "application/json"
	case "xml":
		return "application/xml, text/xml"
	case "":
		return "application/json, */*;q=0.8"
	default:
		return "*/*"
	}
}

// setHeader adds a header, or says why HTTP has no form for it.
func setHeader(h http.Header, name, value string) error {
	canonical := textproto.CanonicalMIMEHeaderKey(name)
	switch {
	case !IsToken(name):
		return fmt.Errorf("%q is not a valid name of a header", actions.Clip(name, 80))
	case IsReserved(canonical):
		return fmt.Errorf("header %q is set by what sends the request, and cannot be given", name)
	}
	if err := CheckHeader(value); err != nil {
		return fmt.Errorf("header %q: %w", name, err)
	}
	h.Set(canonical, value)
	return nil
}

// CheckHeader refuses a value that no header carries as it is (RFC 9110, 5.5).
func CheckHeader(value string) error {
	for i := range len(value) {
		switch c := value[i]; {
		case c == '\r' || c == '\n' || c == 0:
			return errors.New("its value holds a line end or NUL, which would begin another header; trim(…) takes away those at its ends")
		case c < ' ' && c != '\t' || c == 0x7f:
			return fmt.Errorf("its value holds the control character 0x%02x, which HTTP has no form for", c)
		}
	}
	if strings.Trim(value, " \t") != value {
		return errors.New("its value begins or ends with a space, which HTTP takes away; trim(…) it")
	}
	return nil
}
