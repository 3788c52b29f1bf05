package http

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/http/verdict"
)

// partial returns why the response to a request without an effect may be incomplete, or nil: then an object
// that is not in it may exist. It judges by what the response says itself.
func (r *run) partial(resp *verdict.Response) *actions.Partial {
	if r.req.Effect != actions.None || resp.Event != nil {
		return nil
	}
	if why := r.partialStatus(resp); why != "" {
		return &actions.Partial{Why: why}
	}
	sign := linkSign(resp.Header)
	if sign == "" {
		sign = rangeSign(resp.Header)
	}
	if sign == "" {
		w := signs{items: -1}
		sign = w.ofResponse(resp, resp.Wire(r.call))
	}
	if sign == "" {
		return nil
	}
	return &actions.Partial{Listed: true, Why: fmt.Sprintf("%s returned a list that has more items, by its %s: read all pages with `paginate`, or let the server look for the object. "+
		"If %[2]s is a key that users choose, such as a label, declare the response by `returns`, with the member that has such keys as a map (`[string]: string`). "+
		"If the response is complete, `items: \"${[body]}\", paginate: {next: \"${null}\"}` says so, and in rest `paginate: {next: \"${null}\"}`", r.session.Judge.Title(r.req), sign)}
}

// partialPages returns why n pages with these items may be incomplete. What an expression of the author says
// about the next page counts, and so do an empty page, and the end of links that the server has sent; but a
// server that ignores the parameters of pages, or sends no links, may say in another way that it has more.
func (r *run) partialPages(resp *verdict.Response, n int64, items int) *actions.Partial {
	if r.req.Effect != actions.None || r.pages.kind == "next" || r.pages.kind == "cursor" || r.pages.kind == "link" && n > 1 {
		return nil
	}
	sign := ""
	if r.pages.kind != "link" {
		sign = linkSign(resp.Header)
	}
	w := signs{items: items}
	if sign == "" {
		sign = w.ofResponse(resp, resp.Wire(r.call))
	}
	if sign == "" {
		return nil
	}
	return &actions.Partial{Listed: true, Why: fmt.Sprintf("%s returned its last page by `paginate: %s`, although there is more by its %s: compare `paginate` with the documentation of the API",
		r.session.Judge.Title(r.req), r.pages.kind, sign)}
}

// partialStatus returns a phrase about a status of success by which the response is not, or not certainly, all
// that there is, unless the author expects the status; otherwise "".
func (r *run) partialStatus(resp *verdict.Response) string {
	about := map[int]string{
		http.StatusAccepted:             "the server has not finished",
		http.StatusNonAuthoritativeInfo: "a proxy has changed the response",
		http.StatusPartialContent:       "this is a part of it",
		http.StatusMultiStatus:          "parts of it may have failed",
	}[resp.Status]
	isPart := resp.Status == http.StatusPartialContent
	if about == "" || r.req.Effect != actions.None || r.session.Judge.IsNamed(resp.Status) || isPart && (r.pages != nil || isWholeRange(resp.Header)) {
		return ""
	}
	return fmt.Sprintf("%s returned %s, by which %s; if the response is complete all the same, add the status to `expect`", r.session.Judge.Title(r.req), resp.Title(), about)
}

// linkSign returns the sign of more items in the header Link.
func linkSign(header http.Header) string {
	target, err := nextLinkTarget(header)
	if target != "" || err != nil && strings.Contains(strings.ToLower(strings.Join(header.Values("Link"), " ")), "next") {
		return "header Link"
	}
	return ""
}

// contentRange matches a Content-Range of items or bytes.
var contentRange = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:[A-Za-z-]+[ =])?\s*(\d+)-(\d+)/(\d+)$`) })

// rangeOf returns the first and last position that a response has, and how many there are.
func rangeOf(header http.Header) (first, last, total int, ok bool) {
	m := contentRange().FindStringSubmatch(strings.TrimSpace(header.Get("Content-Range")))
	if m == nil {
		return 0, 0, 0, false
	}
	first, err1 := strconv.Atoi(m[1])
	last, err2 := strconv.Atoi(m[2])
	total, err3 := strconv.Atoi(m[3])
	return first, last, total, err1 == nil && err2 == nil && err3 == nil
}

// isWholeRange reports whether the Content-Range comprises all that there is.
func isWholeRange(header http.Header) bool {
	first, last, total, ok := rangeOf(header)
	return ok && first == 0 && last+1 >= total
}

// rangeSign returns the sign of more items in the header Content-Range.
func rangeSign(header http.Header) string {
	if _, _, _, ok := rangeOf(header); ok && !isWholeRange(header) {
		return "header Content-Range"
	}
	return ""
}

// signs looks for words by which APIs say that a list has more items. A word that also has other meanings
// counts only beside a list.
type signs struct {
	// items is how many items there are, or -1 to count those of the longest list.
	items int
	// ended is true if the response says that there are no more.
	ended bool
	// xml is true for XML, in which a list of one item looks like that item. Its elements have fixed names.
	xml bool
}

// The words are without separators, in lower case.
var (
	moreFlags     = []string{"hasmore", "hasnext", "hasnextpage", "hasmoreitems", "hasmoreresults", "hasmorepages", "moreresults", "moreitems", "moreavailable", "istruncated", "incompleteresults"}
	moreFlagsWeak = []string{"more", "truncated", "partial", "incomplete", "timedout", "terminatedearly"}
	endFlags      = []string{"islast", "islastpage", "iscomplete"}
	endFlagsWeak  = []string{"last", "lastpage", "complete"}
	tokens        = []string{
		"nextpagetoken", "nexttoken", "nextcursor", "nextpage", "nextlink", "nexturl", "nexturi", "nexthref", "nextpageurl", "nextpageuri", "nextpagelink", "nextmarker",
		"nextcontinuationtoken", "continuationtoken", "mscontinuation", "opcnextpage", "lastevaluatedkey",
	}
	tokensWeak = []string{"next", "continue", "continuation", "nextoffset"}
	totals     = []string{"totalcount", "totalresults", "totalitems", "totalelements", "totalrecords", "totalrows", "totalhits", "totalsize", "total", "count", "numfound", "recordstotal", "resultcount", "resultsizeestimate", "wptotal", "paginationcount", "paginationtotal", "paginationtotalcount"}
	pageCounts = []string{"totalpages", "pagecount", "numpages", "numberofpages", "pages", "wptotalpages", "lastpage", "paginationpagecount"}
)

// ofResponse returns the name of the first sign of more items in a response with this body, or "".
func (w *signs) ofResponse(resp *verdict.Response, body any) string {
	w.xml = resp.IsXML()
	if d, ok := body.(*actions.Dictionary); ok && d.OfAny {
		body = d.Members
	}
	list, isList := body.([]any)
	headers := map[string]any{}
	for name, values := range resp.Header {
		headers[name] = headerValue(strings.TrimSpace(strings.Join(values, "")))
	}
	longest := -1
	if members, ok := body.(map[string]any); ok {
		longest = longestList(members, 2)
	} else if isList {
		longest = len(list)
	}
	found := w.inObject(body, longest, 0)
	if sign := w.inHeaders(headers, longest); found == "" {
		found = sign
	}
	if w.ended {
		return ""
	}
	return found
}

// headerValue returns the value of a header, whose text may be an object as JSON: some APIs have one in X-Pagination.
func headerValue(text string) any {
	if strings.HasPrefix(text, "{") {
		var object map[string]any
		if json.Unmarshal([]byte(text), &object) == nil {
			return object
		}
	}
	return text
}

// inHeaders returns the first sign among headers.
func (w *signs) inHeaders(headers map[string]any, longest int) string {
	found := w.inNames(headers, "header ", longest >= 0, longest)
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		if object, ok := headers[name].(map[string]any); ok && w.inNames(object, "", longest >= 0, longest) != "" && found == "" {
			found = "header " + name
		}
	}
	return found
}

// longestList returns the length of the longest list in an object, down to a depth; -1 if there is none.
func longestList(members map[string]any, depth int) int {
	longest := -1
	for _, v := range members {
		switch v := v.(type) {
		case []any:
			longest = max(longest, len(v))
		case map[string]any:
			if depth > 0 {
				longest = max(longest, longestList(v, depth-1))
			}
		}
	}
	return longest
}

// maxSignDepth is how deep in a body signs are looked for.
const maxSignDepth = 4

// inObject returns the name of the first sign in an object of the envelope of a list. It has no path, because the keys of a
// map may be secret.
func (w *signs) inObject(v any, longest, depth int) string {
	members, ok := v.(map[string]any)
	if !ok || depth > maxSignDepth {
		return ""
	}
	found := w.inNames(members, "", longest >= 0, longest)
	for _, name := range slices.Sorted(maps.Keys(members)) {
		sign, word := "", normalName(name)
		if inner := w.envelope(name, members[name], longest >= 0); inner != nil {
			sign = w.inObject(inner, longest, depth+1)
		}
		if v, isList := members[name].([]any); isList && (strings.HasPrefix(word, "link") && hasNextLink(v) || word == "unreachable" && len(v) > 0) {
			sign = localName(name)
		}
		if found == "" {
			found = sign
		}
	}
	return found
}

// The names of objects about a list, in the form of normalName: those that say so, and those that are also names of other
// things, which count only beside a list.
var (
	pagesObject = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^pag(e|es|ing|er|ination|inator|einfo|econtext|ingmetadata|inginfo|inationinfo|inationmeta)$|pag(ing|ination|einfo)$|^resultinfo$`)
	})
	aboutList = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(meta|metadata|links?|cursors?|results?|response|totals?|counts?)$|^(info|summary|nav|navigation|next|continue|context|data|listinfo|stats)$`)
	})
)

// envelope returns a member of an object of an envelope as the next one, or nil if it is none: what is in it is data.
// It is one if it has the list, or is about it by its name.
func (w *signs) envelope(name string, v any, beside bool) map[string]any {
	word := normalName(name)
	if d, ok := v.(*actions.Dictionary); ok {
		if pagesObject().MatchString(word) || beside && (name == "_links" || d.OfAny && aboutList().MatchString(word)) {
			return d.Members // links to pages, whose relations the type does not list
		}
		return nil
	}
	object, _ := v.(map[string]any)
	if w.xml || pagesObject().MatchString(word) || beside && aboutList().MatchString(word) || longestList(object, maxSignDepth) >= 0 {
		return object
	}
	if _, isMeta := object["pagination"]; isMeta && strings.HasSuffix(word, "meta") {
		return map[string]any{"pagination": object["pagination"]}
	}
	return nil
}

// hasNextLink reports whether a list of links has one to the next page.
func hasNextLink(list []any) bool {
	return slices.ContainsFunc(list, func(v any) bool {
		link, _ := v.(map[string]any)
		return link["rel"] == "next" || link["relation"] == "next"
	})
}

// inNames returns the first sign among the names of an object, and notes those of the end.
func (w *signs) inNames(members map[string]any, kind string, beside bool, longest int) string {
	found := ""
	// A count of what a filter has left is that of the list; another one is then that of all objects.
	filtered := slices.ContainsFunc(slices.Collect(maps.Keys(members)), func(name string) bool { return strings.Contains(normalName(name), "filtered") })
	for _, name := range slices.Sorted(maps.Keys(members)) {
		word, v := normalName(name), members[name]
		if w.saysMore(word, v, beside) || !filtered && w.countsMore(word, v, longest) {
			if found == "" {
				found = kind + localName(name)
			}
		}
	}
	return found
}

// saysMore reports whether a member says that there is more, by a flag or by the next page, and notes a flag of the end.
func (w *signs) saysMore(word string, v any, beside bool) bool {
	one := func(strong, weak []string) bool {
		return slices.Contains(strong, word) || beside && slices.Contains(weak, word)
	}
	flag, isFlag := flagOf(v)
	switch {
	case isFlag && one(moreFlags, moreFlagsWeak):
		w.ended = w.ended || !flag && slices.Contains(moreFlags, word)
		return flag
	case isFlag && one(endFlags, endFlagsWeak):
		w.ended = w.ended || flag
		return !flag
	default:
		return one(tokens, tokensWeak) && isToken(v)
	}
}

// countsMore reports whether a member counts more items, or more than one page.
func (w *signs) countsMore(word string, v any, longest int) bool {
	n, ok := numberOf(v)
	items := w.items
	if items < 0 {
		items = longest
	}
	switch {
	case !ok || items < 0:
		return false
	case slices.Contains(pageCounts, word):
		return n > 1 && w.items < 0 // a last page may be of several
	default:
		return slices.Contains(totals, word) && n > int64(items)
	}
}

// separators removes what separates the words of a name.
var separators = strings.NewReplacer("-", "", "_", "", " ", "")

// normalName returns a name without separators and prefixes, in lower case: "@odata.nextLink" is "nextlink",
// and "X-Next-Page" is "nextpage".
func normalName(name string) string {
	name = strings.ToLower(localName(name))
	return separators.Replace(strings.TrimPrefix(name, "x-"))
}

// localName returns a name without its namespace.
func localName(name string) string { return name[strings.LastIndexAny(name, ".}@")+1:] }

// flagOf returns a boolean, which XML and headers have as text.
func flagOf(v any) (flag, ok bool) {
	switch v := v.(type) {
	case bool:
		return v, true
	case string:
		flag, err := strconv.ParseBool(v)
		return flag, err == nil && len(v) > 1
	}
	return false, false
}

// numberOf returns a whole number, which XML and headers have as text.
func numberOf(v any) (n int64, ok bool) {
	switch v := v.(type) {
	case int64:
		return v, true
	case json.Number:
		n, err := v.Int64()
		return n, err == nil
	case float64:
		return int64(v), v == float64(int64(v))
	case string:
		n, err := strconv.ParseInt(v, 10, 64)
		return n, err == nil
	case map[string]any: // the total of Elasticsearch
		n, ok := v["value"].(int64)
		return n, ok
	}
	return 0, false
}

// isToken reports whether a value names a next page: a text, a number above 0, or an object that contains
// one.
func isToken(v any) bool {
	switch v := v.(type) {
	case string:
		text := strings.ToLower(strings.TrimSpace(v))
		return !slices.Contains([]string{"", "null", "none", "false", "0", "-1"}, text)
	case bool:
		return v
	case int64:
		return v > 0
	case float64:
		return v > 0
	case map[string]any:
		return slices.ContainsFunc(slices.Collect(maps.Keys(v)), func(name string) bool { return name != "templated" && isToken(v[name]) })
	}
	return false
}
