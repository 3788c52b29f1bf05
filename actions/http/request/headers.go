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

// IsReserved reports whether a header is set by the transport, so that a spec must not set
// it.
func IsReserved(name string) bool {
	switch textproto.CanonicalMIMEHeaderKey(name) {
	case "Host", "Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive", "Upgrade", "Te",
		"Trailer", "Expect", "Accept-Encoding", "Proxy-Authorization", "Proxy-Connection", "Referer":
		return true
	default:
		return false
	}
}

// IsToken reports whether a text is a valid header name (RFC 9110, 5.6.2).
func IsToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return s != ""
}

// setHeaders adds the headers of the arguments that pass the filter, and default headers.
func (r *Request) setHeaders(headers map[string]any, accept string, filter HeaderFilter) error {
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		if headers[name] == nil {
			continue
		}
		value, err := actions.TextOf(headers[name])
		if err != nil {
			return fmt.Errorf("header %q: %w", name, err)
		}
		switch sends, err := filter(name, r.Address); {
		case err != nil:
			return err
		case !sends:
			continue
		}
		if err := setHeader(r.Headers, name, value); err != nil {
			return err
		}
	}
	setDefault := func(name, value string) {
		if value != "" && r.Headers.Get(name) == "" {
			r.Headers.Set(name, value)
		}
	}
	if r.Body != nil {
		setDefault("Content-Type", r.Body.contentType)
	}
	setDefault("Accept", accept)
	setDefault("User-Agent", "declprov")
	return nil
}

// streamTypes are the headers Accept for the argument `stream`.
var streamTypes = map[string]string{"events": "text/event-stream", "lines": "application/x-ndjson, application/json, */*;q=0.8"}

// acceptHeader returns the header Accept for the argument `response`.
func acceptHeader(response string) string {
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

// setHeader sets a header, or returns an error if HTTP cannot represent it.
func setHeader(h http.Header, name, value string) error {
	canonical := textproto.CanonicalMIMEHeaderKey(name)
	switch {
	case !IsToken(name):
		return fmt.Errorf("%q is not a valid header name", actions.Clip(name, 80))
	case IsReserved(canonical):
		return fmt.Errorf("header %q is set automatically and cannot be overridden", name)
	}
	if err := CheckHeaderValue(value); err != nil {
		return fmt.Errorf("header %q: %w", name, err)
	}
	h.Set(canonical, value)
	return nil
}

// CheckHeaderValue returns an error if HTTP cannot transmit the value unchanged (RFC 9110,
// 5.5).
func CheckHeaderValue(value string) error {
	for i := range len(value) {
		switch c := value[i]; {
		case c == '\r' || c == '\n' || c == 0:
			return errors.New("the value contains a line break or NUL; use trim(…) to remove line breaks at its ends")
		case c < ' ' && c != '\t' || c == 0x7f:
			return fmt.Errorf("the value contains the control character 0x%02x, which is not valid in a header", c)
		}
	}
	if strings.Trim(value, " \t") != value {
		return errors.New("the value begins or ends with a space, which HTTP removes; use trim(…)")
	}
	return nil
}
