package assets

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/sys/network"
)

// maxRedirects is how often a server may send us elsewhere.
const maxRedirects = 5

// fetch asks a server for an asset. No credentials go with the request: it is
// the user's URL, and theirs to make reachable.
func fetch(ctx context.Context, env *actions.Env, u *url.URL) (*Opened, error) {
	shown := display(u)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("asset %q: %w", shown, unwrapped(err))
	}
	way := &route{}
	if env != nil {
		way.network = env.Network
	}
	way.handed = way.network.Handed(u)
	client := &http.Client{Transport: way, CheckRedirect: redirects}
	resp, err := client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("asset %q cannot be fetched: %w%s", shown, unwrapped(err), way.hint())
	}
	if resp.StatusCode != http.StatusOK {
		resp.Body.Close()
		return nil, fmt.Errorf("asset %q cannot be fetched: the server answers %s", shown, resp.Status)
	}
	if resp.ContentLength > MaxBytes {
		resp.Body.Close()
		return nil, fmt.Errorf("asset %q cannot be fetched: %w", shown, tooLarge(MaxBytes))
	}
	return &Opened{ReadCloser: struct {
		io.Reader
		io.Closer
	}{&counter{from: resp.Body, left: MaxBytes}, resp.Body}, Size: resp.ContentLength}, nil
}

// route sends each request of a download, also one after a redirect, directly or
// through the proxy that the environment names for its URL. Such a proxy needs a
// grant in permissions.hosts, as that of an http step does: it sees what is
// downloaded, and the variable may be meant for others.
type route struct {
	// network is what the spec is granted, nil for nothing; handed what the download may
	// reach.
	network *network.Network
	handed  *network.Handed
	// ungranted are the proxies that were not used.
	ungranted []string
}

// RoundTrip implements http.RoundTripper.
func (r *route) RoundTrip(req *http.Request) (*http.Response, error) {
	transport := &http.Transport{
		DisableKeepAlives: true, ResponseHeaderTimeout: fetchTimeout, TLSHandshakeTimeout: fetchTimeout,
		DialContext: r.handed.Dial,
	}
	proxy, err := http.ProxyFromEnvironment(req)
	if err != nil {
		return nil, err
	}
	if proxy == nil {
		return transport.RoundTrip(req)
	}
	if r.network == nil || r.network.CheckProxy(proxy) != nil {
		r.ungranted = append(r.ungranted, proxy.Scheme+"://"+proxy.Host)
		return transport.RoundTrip(req)
	}
	if err := r.handed.Through(req.URL); err != nil {
		return nil, err
	}
	transport.Proxy, transport.DialContext = http.ProxyURL(proxy), r.network.Dial
	return transport.RoundTrip(req)
}

// hint returns what to do if a download fails that a proxy might have made possible.
func (r *route) hint() string {
	if len(r.ungranted) == 0 {
		return ""
	}
	return fmt.Sprintf(
		"; the proxy %s of the environment was not used, as the spec's permissions do not grant it: download the file yourself and hand over its path, or have the author of the spec add the proxy to permissions.hosts",
		r.ungranted[len(r.ungranted)-1])
}

// display is a URL for messages: without a user's password, and without the query,
// where links that let anybody in carry what lets them.
func display(u *url.URL) string {
	shown := *u
	if shown.RawQuery != "" {
		shown.RawQuery = "…"
	}
	shown.Fragment, shown.RawFragment = "", ""
	return shown.Redacted()
}

// redirects follows a few, and none from https to what anybody can read. The next server
// is not told the URL of the one before, whose query may let anybody in.
func redirects(req *http.Request, via []*http.Request) error {
	req.Header.Del("Referer")
	switch {
	case len(via) > maxRedirects:
		return fmt.Errorf("it redirects more than %d times", maxRedirects)
	case via[0].URL.Scheme == "https" && req.URL.Scheme != "https":
		return errors.New("it redirects from https to http")
	default:
		return nil
	}
}

// unwrapped is the error without the URL, which may hold a password.
func unwrapped(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}
