// Package verdict decodes responses, and derives the outcome of a request from its response
// or from the error that occurred instead.
package verdict

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/http/request"
	"github.com/declprov/declprov/spec/decode"
)

// Judge derives the outcome of a request from the response, by the arguments that concern
// responses (`response`, `expect`, `error`).
type Judge struct {
	call *actions.Call
	base *url.URL // nil if there is no baseURL
	// Follow enables redirects.
	Follow bool
	// Format is the argument `response`: the format of the body, "" if it is not set.
	Format string
	typed  bool
	// graphql says that the response is one of GraphQL, partial that one with data beside
	// errors is a success.
	graphql, partial bool
	expect           []int
	values           *decode.Budget
	// message extracts the server's message from an error response; nil if there is none.
	message actions.LateExpr
	// TokenOf extracts the token from the response to a login. secretMembers are the names of
	// members of a response that contain a token.
	TokenOf       actions.LateExpr
	secretMembers []string
}

// arguments are the arguments of a request that concern its response.
type arguments struct {
	Redirects string           `arg:"redirects"`
	Response  string           `arg:"response"`
	Returns   bool             `arg:"returns"`
	Expect    expected         `arg:"expect"`
	GraphQL   any              `arg:"graphql"`
	Error     actions.LateExpr `arg:"error"`
}

// New returns the judge for the request of a call.
func New(c *actions.Call, base *url.URL) (Judge, error) {
	var args arguments
	if err := c.Decode(&args); err != nil {
		return Judge{}, err
	}
	j := Judge{
		call: c, base: base, Follow: args.Redirects == "same-origin", Format: args.Response, typed: args.Returns, graphql: args.GraphQL != nil,
		expect: args.Expect.statuses, partial: args.Expect.partial, message: args.Error,
	}
	if j.graphql && j.Format == "" {
		j.Format = "json"
	}
	j.ResetBudget()
	return j, nil
}

// Partial is the word in `expect` for data beside errors in a response of GraphQL.
const Partial = "partial"

// expected is the argument `expect`.
type expected struct {
	statuses []int
	partial  bool
}

// ReadArgument reads the argument.
func (e *expected) ReadArgument(v any) error {
	list, _ := v.([]any)
	for _, item := range list {
		if item == Partial {
			e.partial = true
			continue
		}
		status, ok := item.(int64)
		if !ok {
			return fmt.Errorf("expected a status or %q, got %s", Partial, actions.KindOf(item))
		}
		e.statuses = append(e.statuses, int(status))
	}
	return nil
}

// NewForToken returns the judge for a token request of OAuth 2.
func NewForToken(c *actions.Call, base *url.URL) Judge {
	return Judge{
		call: c, base: base, Format: "json", message: c.Late["error"],
		secretMembers: []string{"access_token", "refresh_token", "id_token"},
	}
}

// NewForLogin returns the judge for a login request, which is the argument object at the
// path. TokenOf extracts the token from the response.
func NewForLogin(c *actions.Call, path string, object map[string]any, base *url.URL, follow bool, tokenOf actions.LateExpr) (Judge, error) {
	var args arguments
	if err := c.DecodeWithin(path, object, &args); err != nil {
		return Judge{}, err
	}
	j := Judge{call: c, base: base, Follow: follow, Format: args.Response, graphql: args.GraphQL != nil, message: args.Error, TokenOf: tokenOf}
	if j.message == nil {
		j.message = c.Late["error"]
	}
	j.ResetBudget()
	return j, nil
}

// ResetBudget allows the next response as many values as the first.
func (j *Judge) ResetBudget() { j.values = j.newBudget() }

// newBudget returns the number of values that a response may contain, or all pages of a
// listing.
func (j *Judge) newBudget() *decode.Budget { return decode.NewBudget(j.call.MaxValues()) }

// IsExpected reports whether a response with this status is a success.
func (j *Judge) IsExpected(status int) bool {
	if slices.Contains(j.expect, status) {
		return true
	}
	success := status >= 200 && status < 300
	return success && !slices.ContainsFunc(j.expect, func(s int) bool { return s < 400 })
}

// IsNamed reports whether the author has named this status in `expect`.
func (j *Judge) IsNamed(status int) bool { return slices.Contains(j.expect, status) }

// Title returns the method and URL, for messages.
func (j *Judge) Title(r *request.Request) string {
	return r.Method + " " + request.Display(r.Address.URL, j.base)
}

// Title returns the status with its text.
func (resp *Response) Title() string {
	words := http.StatusText(resp.Status)
	if words == "" {
		_, words, _ = strings.Cut(resp.Reason, " ")
		words = clean(words)
	}
	return strings.TrimSpace(strconv.Itoa(resp.Status) + " " + words)
}

// Outcome returns the outcome for a response, and decodes its body.
func (j *Judge) Outcome(r *request.Request, resp *Response) actions.Outcome {
	wait, asked := retryAfter(resp.Header, time.Now())
	// Who expects a 404 expects that of the API.
	if j.IsExpected(resp.Status) && !(StatusOf(resp.Status) == actions.Gone && j.pageInsteadOfAbsence(r, resp)) {
		out := j.expectedOutcome(r, resp)
		if out.Status == actions.Done {
			out.RetryAfter = wait
			out.Title = func() string { return j.Title(r) + " returned " + resp.Title() }
		}
		return out
	}
	return j.unexpectedOutcome(r, resp, wait, asked)
}

// expectedOutcome returns the outcome of a response with an expected status.
func (j *Judge) expectedOutcome(r *request.Request, resp *Response) actions.Outcome {
	if resp.Status >= 300 {
		resp.decodeLeniently(j.typed, j.newBudget()) // `response` only applies to 2xx
	} else if err := resp.decode(j.Format, j.typed, j.values); err != nil {
		return j.UnusableOutcome(r, resp, err)
	}
	if resp.Status == http.StatusMultiStatus && r.Effect == actions.Write && !j.IsNamed(resp.Status) {
		return j.multiStatusOutcome(r, resp)
	}
	if j.graphql && j.Format != "none" {
		if out := j.graphqlOutcome(r, resp); out.Status != actions.Done {
			return out
		}
	}
	out := actions.Outcome{Status: actions.Done}
	switch resp.Status {
	case http.StatusCreated:
		out.Claim = actions.Made
	case http.StatusAccepted:
		out.Claim = actions.Accepted
	}
	if j.typed && j.call.Receive != nil {
		out.Received, out.AsReceived = true, func() any { return j.failureResult(resp) }
		if resp.Body, out.Unfit = j.call.Receive(resp.wireBody, resp.wireForm); out.Unfit != nil && resp.Status >= 300 {
			resp.Body, out.Unfit = nil, nil // an expected error response has no declared type
		}
	}
	return out
}

// unexpectedOutcome returns the outcome of a response with an unexpected status. asked says
// that the response has a Retry-After header, and wait is its delay.
func (j *Judge) unexpectedOutcome(r *request.Request, resp *Response, wait time.Duration, asked bool) actions.Outcome {
	resp.decodeLeniently(j.typed, j.newBudget())
	j.learnSecrets(resp)
	out := actions.Outcome{Status: StatusOf(resp.Status), Class: strconv.Itoa(resp.Status), RetryAfter: wait}
	if j.graphql {
		resp.openGraphQL()
		if out.Status == actions.Gone {
			out.Status = actions.Refused // the endpoint does not exist, which says nothing about an object
		}
	}
	page := out.Status == actions.Gone && j.pageInsteadOfAbsence(r, resp)
	if page {
		out.Status = actions.Refused
	}
	if resp.MethodChanged {
		out.Status = actions.Unknown // the response is about another request than the one that was processed
	}
	text := fmt.Sprintf("%s returned %s", j.Title(r), resp.Title())
	if said := withoutStatus(j.serverMessage(resp), resp); said != "" {
		text += ": " + said
	}
	if page {
		text += fmt.Sprintf(pageText, resp.Status)
	}
	if skew := resp.ClockSkew.Round(10 * time.Second); skew != 0 { // Date has whole seconds
		text += fmt.Sprintf("; by its Date, the server's clock is %s %s that of this machine: correct the one that is wrong", skew.Abs(), map[bool]string{true: "ahead of", false: "behind"}[skew > 0])
	}
	switch resp.Status {
	case http.StatusTooManyRequests, http.StatusRequestTimeout, http.StatusBadGateway, http.StatusGatewayTimeout:
		out.Again = !resp.MethodChanged
	case http.StatusMethodNotAllowed:
		text += allowed(resp)
	case http.StatusServiceUnavailable:
		out.Again = asked && !resp.MethodChanged
	case http.StatusPreconditionFailed:
		switch {
		case r.Headers.Get("If-Match") != "":
			text += "; the object was changed since it was last read: run `pulumi refresh`, then try again"
			if tag := r.Headers.Get("If-Match"); strings.HasPrefix(tag, "W/") {
				// RFC 9110, 13.1.1: a weak ETag never matches. Some servers compare them nevertheless.
				text += fmt.Sprintf("; if that does not help: the ETag %s is weak, and this server may match no weak one: then remove ifMatch", tag)
			}
		case r.Headers.Get("If-None-Match") != "":
			text += "; it exists already: import it if it is yours, remove it if an earlier attempt left it, else choose another name"
		}
	}
	if out.Again && wait > longestWait {
		out.Again = false
		text += fmt.Sprintf(" (Retry-After is %s, which is too long to wait)", wait.Round(time.Second))
	}
	if resp.Status >= 300 && resp.Status < 400 && resp.Header.Get("Location") != "" {
		text += j.describeRedirect(resp)
	}
	out.Err, out.Result, out.Received = errors.New(text), j.failureResult(resp), j.typed
	return j.RefuseIfReadOnly(r, out)
}

// allowed returns which methods the server allows at the address, if a response with status 405 says so (RFC 9110, 15.5.6).
func allowed(resp *Response) string {
	methods := strings.Join(resp.Header.Values("Allow"), ", ")
	if !methodNames().MatchString(methods) {
		return ""
	}
	return "; the methods of this address are " + methods
}

// methodNames matches a list of methods.
var methodNames = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Z]{1,20}(,\s*[A-Z]{1,20}){0,10}$`) })

// StatusOf returns what an error status tells about the effect of the request. A 408 may come
// from a proxy that stopped waiting. 499 and most 5xx, also 503 with Retry-After, may come
// from a proxy that had forwarded the request. A redirect other than 307 and 308 is sent
// after the request was processed (RFC 9110, 15.4).
func StatusOf(status int) actions.Status {
	const clientClosedRequest = 499 // sent by nginx and other proxies
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

// RefuseIfReadOnly changes Failed and Unknown to Refused if the request has no effect.
func (j *Judge) RefuseIfReadOnly(r *request.Request, out actions.Outcome) actions.Outcome {
	if r.Effect == actions.None && (out.Status == actions.Failed || out.Status == actions.Unknown) {
		out.Status = actions.Refused
	}
	return out
}

// Result returns the result of the action for a response.
func (j *Judge) Result(resp *Response) map[string]any {
	result := map[string]any{
		"status": int64(resp.Status), "headers": resp.headers(), "body": resp.Body, "items": nil, "url": resp.bareURL(), "attempts": int64(max(j.call.Attempt, 1)),
	}
	if j.graphql {
		result["errors"] = resp.Errors
	}
	if resp.Event != nil {
		result["event"] = strings.ToValidUTF8(resp.Event.Name, "\uFFFD")
	}
	return result
}

// UnusableOutcome returns the outcome of a response that cannot be used. The server may have
// processed the request, so its effect is unknown.
func (j *Judge) UnusableOutcome(r *request.Request, resp *Response, err error) actions.Outcome {
	if said := j.maskText(resp.excerpt()); errors.Is(err, errPage) && said != "" {
		err = fmt.Errorf("%w. The page says: %s", err, said) // which tells whose page it is
	}
	return j.RefuseIfReadOnly(r, actions.Outcome{
		Status: actions.Unknown, Class: strconv.Itoa(resp.Status),
		Err: fmt.Errorf("%s returned %s, but %w", j.Title(r), resp.Title(), err),
	})
}

// serverMessage returns the server's own message: what `error` extracts, else the beginning
// of the body.
func (j *Judge) serverMessage(resp *Response) string {
	if j.message != nil {
		if v, err := j.message(resp.scopeWithBody(j.adaptedBody(resp))); err == nil {
			if text := j.maskText(actions.MessageOf(v)); text != "" {
				return text
			}
		}
	}
	if text := j.maskText(resp.graphqlMessages()); text != "" {
		return text
	}
	return j.maskText(resp.excerpt())
}

// withoutStatus returns a message without the status at its beginning, which pages of servers have in their title and again
// in a heading.
func withoutStatus(message string, resp *Response) string {
	words := strings.TrimSpace(strings.TrimPrefix(resp.Title(), strconv.Itoa(resp.Status)))
	for _, part := range []string{resp.Title(), words, resp.Title(), words} {
		rest, ok := cutFold(message, part)
		if after := strings.TrimLeft(rest, " .:-"); part != "" && ok && (after == "" || after != rest) {
			message = after
		}
	}
	return message
}

// cutFold cuts a prefix whose letters may be of another case.
func cutFold(s, prefix string) (rest string, ok bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}

// adaptedBody returns the body of an error response, with the members that fit the declared
// type under their declared names.
func (j *Judge) adaptedBody(resp *Response) any {
	if !j.typed || j.call.Adapt == nil {
		return resp.Body
	}
	return j.call.Adapt(resp.wireBody, resp.wireForm)
}

// failureResult returns the result for an error response.
func (j *Judge) failureResult(resp *Response) map[string]any {
	result := j.Result(resp)
	result["body"] = j.adaptedBody(resp)
	return result
}
