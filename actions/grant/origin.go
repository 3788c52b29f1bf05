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
	// Scheme is one that a family declares, such as https. Host is a name in lower case, or an address
	// without brackets. Port is a decimal number, never "".
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
	if !isScheme(scheme) {
		return Origin{}, fmt.Errorf("invalid scheme %q (use one like https)", scheme)
	}
	host, port := authority, ""
	if i := strings.LastIndexByte(authority, ':'); i > strings.LastIndexByte(authority, ']') {
		host, port = authority[:i], authority[i+1:]
	}
	if port == "" {
		port = standardPort(scheme)
	}
	if port == "" {
		return Origin{}, fmt.Errorf("the scheme %q has no standard port; write a port, or use https", scheme)
	}
	if _, err := strconv.ParseUint(port, 10, 16); port != "*" && (err != nil || port[0] == '0') {
		return Origin{}, fmt.Errorf("invalid port %q", port)
	}
	host, err := HostName(host)
	return Origin{Scheme: scheme, Host: host, Port: port}, err
}

// isScheme reports whether a text in lower case is a scheme (RFC 3986, 3.1).
func isScheme(text string) bool {
	for i, c := range text {
		if (c < 'a' || c > 'z') && (i == 0 || (c < '0' || c > '9') && c != '+' && c != '-' && c != '.') {
			return false
		}
	}
	return text != ""
}

// standardPort returns the port of a scheme by the registry of IANA, or "" if a pattern must have
// one. Which schemes a spec may use is declared by the families.
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
	case "redis":
		return "6379"
	case "amqp":
		return "5672"
	case "amqps":
		return "5671"
	case "mqtt":
		return "1883"
	case "mqtts":
		return "8883"
	case "ldap":
		return "389"
	case "ldaps":
		return "636"
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
