package verdict

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/declprov/declprov/actions/http/request"
)

// OtherOrigin is the advice for a redirect to another origin, which is never followed.
const OtherOrigin = "it is not followed, because it is another origin. If that is the right server, correct `baseURL` or `url`"

// describeRedirect returns the target of a redirect for messages, without secrets, and what to do.
func (j *Judge) describeRedirect(resp *Response) string {
	u, err := url.Parse(resp.Header.Get("Location"))
	if err == nil {
		u = resp.URL.ResolveReference(u)
	}
	if err != nil || u.Host == "" {
		return " (its Location is not a valid URL)"
	}
	text := " (redirects to " + j.maskText(request.Display(u, j.base)) + ")"
	follows := []int{http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect}
	switch {
	case !slices.Contains(follows, resp.Status):
	case !request.SameOrigin(u, resp.URL):
		text += "; " + OtherOrigin
	case !j.Follow:
		text += "; redirects within the origin are followed with `redirects: \"same-origin\"`"
	}
	return text
}
