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

// maxRedirects is the maximum number of redirects in a download.
const maxRedirects = 5

// fetch downloads an asset. It sends no credentials: the user must give a URL that needs none.
func fetch(ctx context.Context, env *actions.Env, u *url.URL) (*Opened, error) {
	shown := display(u)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("asset %q: %w", shown, withoutURL(err))
	}
	way := &route{}
	if env != nil {
		way.network = env.Network
	}
	way.download = way.network.ForDownload(u)
	client := &http.Client{Transport: way, CheckRedirect: checkRedirect}
	resp, err := client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("cannot fetch asset %q: %w%s", shown, withoutURL(err), way.hint())
	}
	if resp.StatusCode != http.StatusOK {
		resp.Body.Close()
		return nil, fmt.Errorf("cannot fetch asset %q: the server responded %s", shown, resp.Status)
	}
	if resp.ContentLength > MaxBytes {
		resp.Body.Close()
		return nil, fmt.Errorf("cannot fetch asset %q: %w", shown, tooLarge())
	}
	return &Opened{ReadCloser: struct {
		io.Reader
		io.Closer
	}{&counter{from: resp.Body, left: MaxBytes}, resp.Body}, Size: resp.ContentLength}, nil
}

// route sends the requests of a download, including redirects, directly or through the proxy
// that the environment names for the URL. The proxy needs a grant in permissions.hosts, like
// the proxy of an http step: it sees the download, and the variable may be meant for other
// programs.
type route struct {
	// network is the network that the spec's permissions grant; nil grants nothing.
	network *network.Network
	// download is the network that the download may reach.
	download *network.Download
	// ungranted are the proxies that were not used, because they are not granted.
	ungranted []string
}

// RoundTrip implements http.RoundTripper.
func (r *route) RoundTrip(req *http.Request) (*http.Response, error) {
	transport := &http.Transport{
		DisableKeepAlives: true, ResponseHeaderTimeout: fetchTimeout, TLSHandshakeTimeout: fetchTimeout,
		DialContext: r.download.Dial,
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
	if err := r.download.CheckProxied(req.URL); err != nil {
		return nil, err
	}
	transport.Proxy, transport.DialContext = http.ProxyURL(proxy), r.network.Dial
	return transport.RoundTrip(req)
}

// hint returns a remedy if a download failed and a proxy was not used, else "".
func (r *route) hint() string {
	if len(r.ungranted) == 0 {
		return ""
	}
	return fmt.Sprintf(
		"; the proxy %s of the environment was not used, because the spec's permissions do not grant it (download the file and pass its path, or ask the author of the spec to add the proxy to permissions.hosts)",
		r.ungranted[len(r.ungranted)-1])
}

// display returns a URL for messages: without the password, and without the query, which
// contains the credentials of pre-signed URLs.
func display(u *url.URL) string {
	shown := *u
	if shown.RawQuery != "" {
		shown.RawQuery = "…"
	}
	shown.Fragment, shown.RawFragment = "", ""
	return shown.Redacted()
}

// checkRedirect limits the number of redirects, and refuses one from https to http. It
// removes the Referer header, since the query of the previous URL may contain credentials.
func checkRedirect(req *http.Request, via []*http.Request) error {
	req.Header.Del("Referer")
	switch {
	case len(via) > maxRedirects:
		return fmt.Errorf("more than %d redirects", maxRedirects)
	case via[0].URL.Scheme == "https" && req.URL.Scheme != "https":
		return errors.New("redirect from https to http")
	default:
		return nil
	}
}

// withoutURL returns the error without the URL, which may contain a password.
func withoutURL(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}
