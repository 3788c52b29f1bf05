package http

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/http/request"
	"github.com/declprov/declprov/spec/decode"
)

// judge says what comes of a request, by what a server said to it and by what the
// arguments say of answers.
type judge struct {
	call  *actions.Call
	given request.Arguments
	base  *url.URL // nil where there is none
	// follow says that redirects are followed.
	follow   bool
	response string
	typed    bool
	expect   []int
	values   *decode.Budget
	// tokenOf finds the token in an answer to a login; issues are the members of an
	// answer that hold one.
	tokenOf actions.LateExpr
	issues  []string
}

// newJudge reads what the arguments of a request say of answers.
func newJudge(c *actions.Call, g request.Arguments, base *url.URL) (judge, error) {
	j := judge{
		call: c, given: g, base: base, follow: g.Text("redirects") == "same-origin", response: g.Text("response"), typed: g.Args["returns"] != nil,
	}
	j.renew()
	expected, _ := g.Args["expect"].([]any)
	for _, v := range expected {
		status, ok := v.(int64)
		if !ok {
			return j, fmt.Errorf("expect holds %s, and a status is wanted", actions.KindOf(v))
		}
		j.expect = append(j.expect, int(status))
	}
	return j, nil
}

// newGrantJudge judges what a server of OAuth 2 says to a client that asks for a token.
func newGrantJudge(c *actions.Call, base *url.URL) judge {
	return judge{
		call: c, given: request.Arguments{Prefix: "auth.oauth2."}, base: base, response: "json",
		issues: []string{"access_token", "refresh_token", "id_token"},
	}
}

// newLoginJudge judges what a server says to a login of the author's.
func newLoginJudge(c *actions.Call, g request.Arguments, base *url.URL, follow bool) judge {
	j := judge{call: c, given: g, base: base, follow: follow, response: g.Text("response"), tokenOf: c.Late["auth.login.token"]}
	j.renew()
	return j
}

// renew lets the next answer have as many values as the first.
func (j *judge) renew() { j.values = j.newBudget() }

// newBudget is how many values an answer may have, or all pages together.
func (j *judge) newBudget() *decode.Budget { return decode.NewBudget(j.call.MaxValues()) }

// ordinary reports whether a status is no error.
func (j *judge) ordinary(status int) bool {
	if slices.Contains(j.expect, status) {
		return true
	}
	success := status >= 200 && status < 300
	return success && !slices.ContainsFunc(j.expect, func(s int) bool { return s < 400 })
}

// title is the request as messages name it.
func (j *judge) title(r *request.Request) string {
	return r.Method + " " + request.Display(r.At.URL, j.base)
}

// title is the status with its words.
func (a *answer) title() string {
	words := http.StatusText(a.status)
	if words == "" {
		_, words, _ = strings.Cut(a.reason, " ")
		words = clean(words)
	}
	return strings.TrimSpace(strconv.Itoa(a.status) + " " + words)
}

// outcome says what an answer means, and decodes its body.
func (j *judge) outcome(r *request.Request, a *answer) actions.Outcome {
	wait, asked := retryAfter(a.header, time.Now())
	if j.ordinary(a.status) {
		if a.status >= 300 {
			a.lenient(j.typed, j.newBudget()) // its form is not what the author said of the others
		} else if err := a.decode(j.response, j.typed, j.values); err != nil {
			return j.failed(r, a, err)
		}
		if text := j.graphqlErrors(a); text != "" {
			out := j.failed(r, a, errors.New(text))
			out.Result, out.Received = j.failure(a), j.typed
			if r.Effect == actions.Write {
				out.Status = actions.Failed
			}
			return out
		}
		out := actions.Outcome{Status: actions.Done, RetryAfter: wait}
		if j.typed && j.call.Receive != nil {
			out.Received = true
			if a.body, out.Unfit = j.call.Receive(a.came, a.form); out.Unfit != nil && a.status >= 300 {
				a.body, out.Unfit = nil, nil // an error that the author expects is of no declared type
			}
		}
		return out
	}
	a.lenient(j.typed, j.newBudget())
	j.learn(a)
	out := actions.Outcome{Status: statusOf(a.status), Class: strconv.Itoa(a.status), RetryAfter: wait}
	if a.moved {
		out.Status = actions.Unknown // the response is about another request than the one that was processed
	}
	text := fmt.Sprintf("%s answered %s", j.title(r), a.title())
	if said := j.said(a); said != "" {
		text += ": " + said
	}
	switch a.status {
	case http.StatusTooManyRequests, http.StatusRequestTimeout, http.StatusBadGateway, http.StatusGatewayTimeout:
		out.Again = !a.moved
	case http.StatusServiceUnavailable:
		out.Again = asked && !a.moved
	case http.StatusPreconditionFailed:
		switch {
		case r.Headers.Get("If-Match") != "":
			text += "; it has changed since it was last read: run `pulumi refresh`, then try again"
		case r.Headers.Get("If-None-Match") != "":
			text += "; it exists already: if it is yours, import it (or remove it, where it is left of an earlier attempt), else choose another name"
		}
	}
	if out.Again && wait > longestWait {
		out.Again = false
		text += fmt.Sprintf(" (and asks to come back in %s, which is too long to wait for)", wait.Round(time.Second))
	}
	if a.status >= 300 && a.status < 400 && a.header.Get("Location") != "" {
		text += j.elsewhere(a)
	}
	out.Err, out.Result, out.Received = errors.New(text), j.failure(a), j.typed
	return j.settled(r, out)
}

// statusOf says what a status that is no success tells about the effect of a
// request. A 408 may come from a proxy that gave up waiting, 499 and most 5xx
// from one that forwarded the request, 503 with Retry-After too; a redirect
// other than 307 and 308 follows a request that was processed (RFC 9110, 15.4).
func statusOf(status int) actions.Status {
	const clientClosedRequest = 499 // nginx's, and other proxies'
	switch status {
	case http.StatusNotFound, http.StatusGone:
		return actions.Gone
	case http.StatusRequestTimeout, clientClosedRequest:
		return actions.Unknown
	case http.StatusTemporaryRedirect, http.StatusPermanentRedirect, http.StatusNotModified,
		http.StatusNotImplemented, http.StatusHTTPVersionNotSupported:
		return actions.Refused
	}
	if status >= 400 && status < 500 {
		return actions.Refused
	}
	return actions.Unknown
}

// settled makes a failure of what changes nothing one that changed nothing.
func (j *judge) settled(r *request.Request, out actions.Outcome) actions.Outcome {
	if r.Effect == actions.None && (out.Status == actions.Failed || out.Status == actions.Unknown) {
		out.Status = actions.Refused
	}
	return out
}

// elsewhere says where a redirect leads, without what may be secret.
func (j *judge) elsewhere(a *answer) string {
	u, err := url.Parse(a.header.Get("Location"))
	if err != nil {
		return ""
	}
	text := " (to " + j.hidden(request.Display(u, j.base)) + ")"
	if !j.follow {
		text += "; redirects within the origin are followed with `redirects: \"same-origin\"`"
	}
	return text
}

// result is what a request yields.
func (j *judge) result(a *answer) map[string]any {
	attempts := int64(max(j.call.Attempt, 1))
	return map[string]any{
		"status": int64(a.status), "headers": a.headers(), "body": a.body, "items": nil, "url": a.url(), "attempts": attempts,
	}
}

// failed is the outcome of an answer that cannot be used: that the request was
// processed may be clear, but not what it did.
func (j *judge) failed(r *request.Request, a *answer, err error) actions.Outcome {
	return j.settled(r, actions.Outcome{
		Status: actions.Unknown, Class: strconv.Itoa(a.status),
		Err: fmt.Errorf("%s answered %s, and %w", j.title(r), a.title(), err),
	})
}

// said is the server's own message: what `error` finds, else the beginning of
// what it said.
func (j *judge) said(a *answer) string {
	late := j.call.Late[j.given.Prefix+"error"]
	if late == nil {
		late = j.call.Late["error"]
	}
	if late != nil {
		if v, err := late(a.knownAs(j.adapted(a))); err == nil {
			if text := j.messageOf(v); text != "" {
				return text
			}
		}
	}
	return j.hidden(a.excerpt())
}

// adapted is the body of a failure, with what of it fits the declared type.
func (j *judge) adapted(a *answer) any {
	if !j.typed || j.call.Adapt == nil {
		return a.body
	}
	return j.call.Adapt(a.came, a.form)
}

// failure is the result of an answer that is one.
func (j *judge) failure(a *answer) map[string]any {
	result := j.result(a)
	result["body"] = j.adapted(a)
	return result
}

// messageOf is a message that may be an object.
func (j *judge) messageOf(v any) string {
	text, err := actions.TextOf(v)
	if err != nil && v != nil {
		data, _ := json.Marshal(v)
		text = string(data)
	}
	return j.hidden(text)
}

// graphqlErrors is what a GraphQL server says went wrong, under a status that
// says all is well.
func (j *judge) graphqlErrors(a *answer) string {
	if j.given.Args["graphql"] == nil {
		return ""
	}
	j.learn(a)
	body, _ := a.body.(map[string]any)
	list, _ := body["errors"].([]any)
	if len(list) == 0 {
		return ""
	}
	if j.call.Late["error"] != nil {
		return "reports errors: " + j.said(a)
	}
	first, _ := list[0].(map[string]any)
	text, _ := first["message"].(string)
	return "reports errors: " + j.hidden(text)
}
