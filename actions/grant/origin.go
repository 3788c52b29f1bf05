package grant

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// Origin is the origin of a URL, as browsers define it.
type Origin struct {
	// Scheme is http, https, ssh, postgres or mysql. Host is a name in lower case, or an address without
	// brackets. Port is a decimal number, never "".
	Scheme, Host, Port string
}

// ParseOrigin returns the origin of a URL. The URL may be only an origin.
func ParseOrigin(text string) (Origin, error) {
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok {
		return Origin{}, fmt.Errorf("invalid origin %q (use the form https://api.example.com)", text)
	}
	authority := rest
	if i := strings.IndexAny(rest, `/?#\`); i >= 0 {
		authority = rest[:i]
	}
	return makeOrigin(strings.ToLower(scheme), authority)
}

// OriginOf returns the origin of a URL.
func OriginOf(u *url.URL) (Origin, error) { return makeOrigin(strings.ToLower(u.Scheme), u.Host) }

// makeOrigin returns the origin of a scheme and an authority. It runs for each request, so
// it allocates nothing unless it fails.
func makeOrigin(scheme, authority string) (Origin, error) {
	if strings.Contains(authority, "@") {
		return Origin{}, errors.New("an origin must not contain a user or password; use auth")
	}
	port, standard := "", standardPort(scheme)
	if standard == "" {
		return Origin{}, fmt.Errorf("invalid scheme %q (use http, https, ssh, postgres or mysql)", scheme)
	}
	host := authority
	if i := strings.LastIndexByte(authority, ':'); i > strings.LastIndexByte(authority, ']') {
		host, port = authority[:i], authority[i+1:]
	}
	if port == "" {
		port = standard
	}
	if _, err := strconv.ParseUint(port, 10, 16); port != "*" && (err != nil || port[0] == '0') {
		return Origin{}, fmt.Errorf("invalid port %q", port)
	}
	host, err := HostName(host)
	return Origin{Scheme: scheme, Host: host, Port: port}, err
}

// standardPort returns the default port of a scheme, or "" if the scheme is not supported.
func standardPort(scheme string) string {
	switch scheme {
	case "http":
		return "80"
	case "https":
		return "443"
	case "ssh":
		return "22"
	case "postgres":
		return "5432"
	case "mysql":
		return "3306"
	default:
		return ""
	}
}

// HostName returns the canonical form of a host: of an address its printed form, of a name
// lower case without a trailing dot.
func HostName(host string) (string, error) {
	if inner, ok := strings.CutPrefix(host, "["); ok {
		addr, err := netip.ParseAddr(strings.TrimSuffix(inner, "]"))
		if err != nil || !addr.Is6() || addr.Zone() != "" || !strings.HasSuffix(host, "]") {
			return "", fmt.Errorf("invalid address %q", host)
		}
		return addr.String(), nil
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if host == "" || host[0] == '.' || host[len(host)-1] == '.' || strings.Contains(host, "..") {
		return "", fmt.Errorf("invalid host name %q: a part of it is empty", host)
	}
	for _, c := range host {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '.' && c != '_' {
			return "", fmt.Errorf("invalid host name %q: write names that are not ASCII in their xn-- form", host)
		}
	}
	if last := host[strings.LastIndexByte(host, '.')+1:]; last != "" && (last[0] >= '0' && last[0] <= '9') {
		// Some resolvers take a name that ends in a number as an address (127.1,
		// 0x7f000001, 2130706433), so only the usual form is accepted.
		if addr, err := netip.ParseAddr(host); err != nil || !addr.Is4() {
			return "", fmt.Errorf("invalid address %q: write all four numbers", host)
		}
	}
	return host, nil
}

// String returns the origin as written, without the scheme's default port.
func (o Origin) String() string {
	if o.Port == standardPort(o.Scheme) {
		return o.Scheme + "://" + BracketHost(o.Host)
	}
	return o.Scheme + "://" + BracketHost(o.Host) + ":" + o.Port
}

// BracketHost returns a host as written in a URL: an IPv6 address in brackets.
func BracketHost(host string) string {
	if strings.Contains(host, ":") {
		return "[" + host + "]"
	}
	return host
}
