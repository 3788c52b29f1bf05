package actions

import (
	"crypto/sha256"
	"encoding/base64"
	"net/url"
	"slices"
	"strings"
)

// ETags are the ETags of responses about one resource (RFC 9110, 8.8.3), by the address that was requested, in the
// order of their first responses: operations may also request other objects, such as the parent, and parts with an address of their own. It is a
// string so that it can be compared and recorded: a line for each, with the address, a tab and the ETag. The address is
// missing in what earlier versions have recorded.
type ETags string

// maxETags limits the ETags of a resource of many parts.
const maxETags = 64

// AddressOf returns the address of a request for ETags: a digest, because a URL may contain secrets. The query is not
// part of it.
func AddressOf(u *url.URL) string {
	sum := sha256.Sum256([]byte(u.Scheme + "://" + u.Host + u.EscapedPath()))
	return base64.RawURLEncoding.EncodeToString(sum[:9])
}

// For returns the ETag of what is at an address, or else the last one; "" if there is none.
func (e ETags) For(address string) string {
	last := ""
	for _, line := range e.lines() {
		at, tag := splitETag(line)
		if last = tag; at == address {
			break
		}
	}
	return last
}

// Has reports whether there is an ETag of what is at an address.
func (e ETags) Has(address string) bool {
	return slices.ContainsFunc(e.lines(), func(line string) bool { return strings.HasPrefix(line, address+"\t") })
}

// With returns the ETags with that of what is at an address; "" is an ETag that is not known. It takes the place of one
// without an address. That of a new address is the last.
func (e ETags) With(address, tag string) ETags {
	line := address + "\t" + tag
	lines := slices.DeleteFunc(e.lines(), func(line string) bool { at, _ := splitETag(line); return at == "" })
	if i := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, address+"\t") }); i >= 0 {
		lines[i] = line
	} else {
		lines = append(lines, line)
	}
	return ETags(strings.Join(lines[max(0, len(lines)-maxETags):], "\n"))
}

func (e ETags) lines() []string {
	if e == "" {
		return nil
	}
	return strings.Split(string(e), "\n")
}

func splitETag(line string) (address, tag string) {
	if address, tag, ok := strings.Cut(line, "\t"); ok {
		return address, tag
	}
	return "", line
}
