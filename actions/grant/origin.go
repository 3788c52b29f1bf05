package grant

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// Origin is where requests go: what a browser calls one.
type Origin struct {
	// Scheme is http, https or ssh, Host a name or an address without brackets, in
	// lower case, Port a decimal number, never "".
	Scheme, Host, Port string
}

// ParseOrigin is the origin of a URL, or of an origin as it is written.
func ParseOrigin(text string) (Origin, error) {
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok {
		return Origin{}, fmt.Errorf("%q is not an origin; write it like https://api.example.com", text)
	}
	authority := rest
	if i := strings.IndexAny(rest, `/?#\`); i >= 0 {
		authority = rest[:i]
	}
	return makeOrigin(strings.ToLower(scheme), authority)
}

// OriginOf is where a request to the URL goes.
func OriginOf(u *url.URL) (Origin, error) { return makeOrigin(strings.ToLower(u.Scheme), u.Host) }

// makeOrigin allocates nothing where all is well: it is asked for each request.
func makeOrigin(scheme, authority string) (Origin, error) {
	if strings.Contains(authority, "@") {
		return Origin{}, errors.New("an origin holds no user or password; use auth")
	}
	port, standard := "", standardPort(scheme)
	if standard == "" {
		return Origin{}, fmt.Errorf("%q is not http, https or ssh", scheme)
	}
	host := authority
	if i := strings.LastIndexByte(authority, ':'); i > strings.LastIndexByte(authority, ']') {
		host, port = authority[:i], authority[i+1:]
	}
	if port == "" {
		port = standard
	}
	if _, err := strconv.ParseUint(port, 10, 16); port != "*" && (err != nil || port[0] == '0') {
		return Origin{}, fmt.Errorf("%q is not a port", port)
	}
	host, err := HostName(host)
	return Origin{Scheme: scheme, Host: host, Port: port}, err
}

// standardPort is a scheme's own, "" where there is no such scheme.
func standardPort(scheme string) string {
	switch scheme {
	case "http":
		return "80"
	case "https":
		return "443"
	case "ssh":
		return "22"
	default:
		return ""
	}
}

// HostName is a host in one form: an address as it is printed, a name in lower
// case without the dot at its end.
func HostName(host string) (string, error) {
	if inner, ok := strings.CutPrefix(host, "["); ok {
		addr, err := netip.ParseAddr(strings.TrimSuffix(inner, "]"))
		if err != nil || !addr.Is6() || addr.Zone() != "" || !strings.HasSuffix(host, "]") {
			return "", fmt.Errorf("%q is not an address", host)
		}
		return addr.String(), nil
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if host == "" || host[0] == '.' || host[len(host)-1] == '.' || strings.Contains(host, "..") {
		return "", fmt.Errorf("the host %q is not a valid name: a part of it is empty", host)
	}
	for _, c := range host {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '.' && c != '_' {
			return "", fmt.Errorf("%q is not a host name: write letters beyond ASCII in their xn-- form", host)
		}
	}
	if last := host[strings.LastIndexByte(host, '.')+1:]; last != "" && (last[0] >= '0' && last[0] <= '9') {
		// What ends in a number is an address to some resolvers (127.1,
		// 0x7f000001, 2130706433): one form only.
		if addr, err := netip.ParseAddr(host); err != nil || !addr.Is4() {
			return "", fmt.Errorf("%q is not an address; write all four numbers", host)
		}
	}
	return host, nil
}

// String is the origin as it is written, without the scheme's own port.
func (o Origin) String() string {
	if o.Port == standardPort(o.Scheme) {
		return o.Scheme + "://" + Bracketed(o.Host)
	}
	return o.Scheme + "://" + Bracketed(o.Host) + ":" + o.Port
}

// Bracketed is a host as it stands in a URL.
func Bracketed(host string) string {
	if strings.Contains(host, ":") {
		return "[" + host + "]"
	}
	return host
}
