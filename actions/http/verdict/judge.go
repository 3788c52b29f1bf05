// Package verdict says what comes of a request: it decodes responses, and makes outcomes of
// them, or of what went wrong on the way.
package verdict

import (
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

// Judge says what comes of a request, by what a server said to it and by what the
// arguments say of answers.
type Judge struct {
	call *actions.Call
	base *url.URL // nil where there is none
	// Follow says that redirects are followed.
	Follow   bool
	Response string
	typed    bool
	graphql  bool
	expect   []int
	values   *decode.Budget
	// message finds the server's own message in an answer that is not expected; nil is none.
	message actions.LateExpr
	// TokenOf finds the token in an answer to a login; issues are the members of an
	// answer that hold one.
	TokenOf actions.LateExpr
	issues  []string
}

// arguments are those of a request that say something of answers.
type arguments struct {
	Redirects string           `arg:"redirects"`
	Response  string           `arg:"response"`
	Returns   bool             `arg:"returns"`
	Expect    []int            `arg:"expect"`
	GraphQL   any              `arg:"graphql"`
	Error     actions.LateExpr `arg:"error"`
}

// New returns the judge of what a server says to the request of a call.
func New(c *actions.Call, base *url.URL) (Judge, error) {
	var g arguments
	if err := c.Decode(&g); err != nil {
		return Judge{}, err
	}
	j := Judge{
		call: c, base: base, Follow: g.Redirects == "same-origin", Response: g.Response, typed: g.Returns, graphql: g.GraphQL != nil,
		expect: g.Expect, message: g.Error,
	}
	j.Renew()
	return j, nil
}

// ForGrant returns the judge of what a server of OAuth 2 says to a client that asks for a
// token.
func ForGrant(c *actions.Call, base *url.URL) Judge {
	return Judge{
		call: c, base: base, Response: "json", message: c.Late["error"],
		issues: []string{"access_token", "refresh_token", "id_token"},
	}
}

// ForLogin returns the judge of what a server says to a login of the author's, whose request
// is the object at a path. TokenOf finds the token in the answer.
func ForLogin(c *actions.Call, path string, object map[string]any, base *url.URL, follow bool, tokenOf actions.LateExpr) (Judge, error) {
	var g arguments
	if err := c.DecodeWithin(path, object, &g); err != nil {
		return Judge{}, err
	}
	j := Judge{call: c, base: base, Follow: follow, Response: g.Response, graphql: g.GraphQL != nil, message: g.Error, TokenOf: tokenOf}
	if j.message == nil {
		j.message = c.Late["error"]
	}
	j.Renew()
	return j, nil
}

// Renew lets the next answer have as many values as the first.
func (j *Judge) Renew() { j.values = j.newBudget() }

// newBudget is how many values an answer may have, or all pages together.
func (j *Judge) newBudget() *decode.Budget { return decode.NewBudget(j.call.MaxValues()) }

// Ordinary reports whether a status is no error.
func (j *Judge) Ordinary(status int) bool {
	if slices.Contains(j.expect, status) {
		return true
	}
	success := status >= 200 && status < 300
	return success && !slices.ContainsFunc(j.expect, func(s int) bool { return s < 400 })
}

// Title is the request as messages name it.
func (j *Judge) Title(r *request.Request) string {
	return r.Method + " " + request.Display(r.At.URL, j.base)
}

// Title is the status with its words.
func (a *Answer) Title() string {
	words := http.StatusText(a.Status)
	if words == "" {
		_, words, _ = strings.Cut(a.Reason, " ")
		words = clean(words)
	}
	return strings.TrimSpace(strconv.Itoa(a.Status) + " " + words)
}

// Outcome says what an answer means, and decodes its body.
func (j *Judge) Outcome(r *request.Request, a *Answer) actions.Outcome {
	wait, asked := retryAfter(a.Header, time.Now())
	if j.Ordinary(a.Status) {
		out := j.success(r, a)
		if out.Status == actions.Done {
			out.RetryAfter = wait
		}
		return out
	}
	return j.refusal(r, a, wait, asked)
}

// success is the outcome of an answer that is expected.
func (j *Judge) success(r *request.Request, a *Answer) actions.Outcome {
	if a.Status >= 300 {
		a.lenient(j.typed, j.newBudget()) // its form is not what the author said of the others
	} else if err := a.decode(j.Response, j.typed, j.values); err != nil {
		return j.Failed(r, a, err)
	}
	if text := j.graphqlErrors(a); text != "" {
		out := j.Failed(r, a, errors.New(text))
		out.Result, out.Received = j.failure(a), j.typed
		if r.Effect == actions.Write {
			out.Status = actions.Failed
		}
		return out
	}
	out := actions.Outcome{Status: actions.Done}
	if j.typed && j.call.Receive != nil {
		out.Received = true
		if a.Body, out.Unfit = j.call.Receive(a.came, a.form); out.Unfit != nil && a.Status >= 300 {
			a.Body, out.Unfit = nil, nil // an error that the author expects is of no declared type
		}
	}
	return out
}

// refusal is the outcome of an answer that is not expected; asked says that the server asks
// to come back, and wait when.
func (j *Judge) refusal(r *request.Request, a *Answer, wait time.Duration, asked bool) actions.Outcome {
	a.lenient(j.typed, j.newBudget())
	j.learn(a)
	out := actions.Outcome{Status: StatusOf(a.Status), Class: strconv.Itoa(a.Status), RetryAfter: wait}
	if a.Moved {
		out.Status = actions.Unknown // the response is about another request than the one that was processed
	}
	text := fmt.Sprintf("%s answered %s", j.Title(r), a.Title())
	if said := j.said(a); said != "" {
		text += ": " + said
	}
	switch a.Status {
	case http.StatusTooManyRequests, http.StatusRequestTimeout, http.StatusBadGateway, http.StatusGatewayTimeout:
		out.Again = !a.Moved
	case http.StatusServiceUnavailable:
		out.Again = asked && !a.Moved
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
	if a.Status >= 300 && a.Status < 400 && a.Header.Get("Location") != "" {
		text += j.elsewhere(a)
	}
	out.Err, out.Result, out.Received = errors.New(text), j.failure(a), j.typed
	return j.Settled(r, out)
}

// StatusOf says what a status that is no success tells about the effect of a
// request. A 408 may come from a proxy that gave up waiting, 499 and most 5xx
// from one that forwarded the request, 503 with Retry-After too; a redirect
// other than 307 and 308 follows a request that was processed (RFC 9110, 15.4).
func StatusOf(status int) actions.Status {
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

// Settled makes a failure of what changes nothing one that changed nothing.
func (j *Judge) Settled(r *request.Request, out actions.Outcome) actions.Outcome {
	if r.Effect == actions.None && (out.Status == actions.Failed || out.Status == actions.Unknown) {
		out.Status = actions.Refused
	}
	return out
}

// elsewhere says where a redirect leads, without what may be secret.
func (j *Judge) elsewhere(a *Answer) string {
	u, err := url.Parse(a.Header.Get("Location"))
	if err != nil {
		return ""
	}
	text := " (to " + j.hidden(request.Display(u, j.base)) + ")"
	if !j.Follow {
		text += "; redirects within the origin are followed with `redirects: \"same-origin\"`"
	}
	return text
}

// Result is what a request yields.
func (j *Judge) Result(a *Answer) map[string]any {
	attempts := int64(max(j.call.Attempt, 1))
	return map[string]any{
		"status": int64(a.Status), "headers": a.headers(), "body": a.Body, "items": nil, "url": a.url(), "attempts": attempts,
	}
}

// Failed is the outcome of an answer that cannot be used: that the request was
// processed may be clear, but not what it did.
func (j *Judge) Failed(r *request.Request, a *Answer, err error) actions.Outcome {
	return j.Settled(r, actions.Outcome{
		Status: actions.Unknown, Class: strconv.Itoa(a.Status),
		Err: fmt.Errorf("%s answered %s, and %w", j.Title(r), a.Title(), err),
	})
}

// said is the server's own message: what `error` finds, else the beginning of
// what it said.
func (j *Judge) said(a *Answer) string {
	if j.message != nil {
		if v, err := j.message(a.knownAs(j.adapted(a))); err == nil {
			if text := j.hidden(actions.MessageOf(v)); text != "" {
				return text
			}
		}
	}
	return j.hidden(a.excerpt())
}

// adapted is the body of a failure, with what of it fits the declared type.
func (j *Judge) adapted(a *Answer) any {
	if !j.typed || j.call.Adapt == nil {
		return a.Body
	}
	return j.call.Adapt(a.came, a.form)
}

// failure is the result of an answer that is one.
func (j *Judge) failure(a *Answer) map[string]any {
	result := j.Result(a)
	result["body"] = j.adapted(a)
	return result
}

// graphqlErrors is what a GraphQL server says went wrong, under a status that
// says all is well.
func (j *Judge) graphqlErrors(a *Answer) string {
	if !j.graphql {
		return ""
	}
	j.learn(a)
	body, _ := a.Body.(map[string]any)
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
