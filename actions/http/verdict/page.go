package verdict

import (
	"bytes"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/http/request"
)

// errPage is the error of a success that is a page for people, as proxies, login portals and
// maintenance pages send it: it says nothing about the request.
var errPage = errors.New("the body is an HTML page, as of a proxy or a login, and not a response of the API. If the API responds with pages, set `response: \"text\"`")

// pageText follows the message of a 404 or 410 that is a page. It has a verb for the status.
const pageText = "; this is an HTML page, as of a proxy, a login or another server at this address, so it does not say whether the object exists. Check baseURL and the path. " +
	"If the API itself responds so for an object that does not exist, add `gone: \"${status == %d}\"`"

// pageInsteadOfAbsence reports whether a 404 or 410 is a page for people, although the request
// expects data. Everything that is in front of an API sends such a page if it does not reach
// the API, so it does not prove that the object does not exist.
func (j *Judge) pageInsteadOfAbsence(r *request.Request, resp *Response) bool {
	if j.Format == "text" || j.Format == "bytes" {
		return false // the API responds with pages
	}
	if len(resp.Raw) > 0 {
		return resp.isPageOfError()
	}
	// The body of a response to HEAD is not sent, and that of another may be cut off.
	length := resp.Header.Get("Content-Length")
	return resp.declaresPage() && length != "0" && (length != "" || r.Method == http.MethodHead)
}

// declaresPage reports whether the Content-Type is that of HTML.
func (resp *Response) declaresPage() bool {
	kind, _ := resp.mediaType()
	return kind == "text/html" || kind == "application/xhtml+xml"
}

// isPage reports whether the body is an HTML document, by its Content-Type, if it has one, and its
// beginning. A text, a JSON or a part of a page with the type of HTML is none: some frameworks send that
// type by default.
func (resp *Response) isPage() bool {
	if kind, _ := resp.mediaType(); kind != "" && !resp.declaresPage() {
		return false
	}
	if resp.declaresPage() && strings.Contains(http.DetectContentType(resp.Raw), "utf-16") {
		return true
	}
	return resp.begins("<!doctype html", "<html", "<head", "<body", "<title", "<meta", "<link", "<style", "<script")
}

// isPageOfError reports whether the body of an error is a page or a part of one, such as "<h1>Not
// found</h1>"; or an HTML document, whatever its Content-Type is.
func (resp *Response) isPageOfError() bool {
	if kind, _ := resp.mediaType(); (kind == "" || resp.declaresPage()) && strings.HasPrefix(http.DetectContentType(resp.beginning()), "text/html") {
		return true
	}
	return resp.isPage() || resp.begins("<!doctype html", "<html")
}

// begins reports whether the body begins with one of these tags, in any case.
func (resp *Response) begins(tags ...string) bool {
	begin := resp.beginning()
	return slices.ContainsFunc(tags, func(tag string) bool {
		return len(begin) >= len(tag) && strings.EqualFold(string(begin[:len(tag)]), tag) &&
			(len(begin) == len(tag) || strings.IndexByte(" \t\r\n\f/>", begin[len(tag)]) >= 0)
	})
}

// beginning returns the body without what may precede the first tag of a page: white space, a byte
// order mark of UTF-8, an XML declaration and comments.
func (resp *Response) beginning() []byte {
	begin := bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(resp.Raw), []byte("\xef\xbb\xbf")))
	for _, skip := range [][2]string{{"<?xml", "?>"}, {"<!--", "-->"}} {
		for bytes.HasPrefix(begin, []byte(skip[0])) {
			_, rest, _ := bytes.Cut(begin, []byte(skip[1]))
			begin = bytes.TrimSpace(rest)
		}
	}
	return begin
}

// multiStatusOutcome returns the outcome of a change whose response has a status for each of its
// parts (RFC 4918, 13): some of them may have failed, which only the author can tell from the body.
func (j *Judge) multiStatusOutcome(r *request.Request, resp *Response) actions.Outcome {
	out := j.UnusableOutcome(r, resp, errors.New("each part of the response has a status of its own, so some parts of the change may have failed. "+
		"If the API responds so, add 207 and the other successes to `expect` (`expect: [200, 204, 207]`), and judge the parts by `fail` (`fail: \"${body.errors}\"`)"))
	out.Result, out.Received = j.failureResult(resp), j.typed
	return out
}
