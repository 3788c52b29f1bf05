package assets

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// maxRedirects is how often a server may send us elsewhere.
const maxRedirects = 5

// fetch asks a server for an asset. No credentials go with the request: it is
// the user's URL, and theirs to make reachable.
func fetch(ctx context.Context, u *url.URL) (*Opened, error) {
	shown := display(u)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("asset %q: %w", shown, unwrapped(err))
	}
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true,
		ResponseHeaderTimeout: fetchTimeout, TLSHandshakeTimeout: fetchTimeout,
	}
	client := &http.Client{Transport: transport, CheckRedirect: redirects}
	resp, err := client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("asset %q cannot be fetched: %w", shown, unwrapped(err))
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

// redirects follows a few, and none from https to what anybody can read.
func redirects(req *http.Request, via []*http.Request) error {
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
