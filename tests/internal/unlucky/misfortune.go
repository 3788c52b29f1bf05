package unlucky

import (
	"net/http"
	"time"
)

// Misfortune is what a proxy does to a request.
type Misfortune struct {
	Name   string
	strike func(*encounter)
}

// ServerErrorBefore answers with 500, and the server never sees the request.
func ServerErrorBefore() Misfortune { return Before(http.StatusInternalServerError) }

// ServerErrorAfter forwards the request, and answers with 500.
func ServerErrorAfter() Misfortune { return After(http.StatusInternalServerError) }

// DroppedBefore closes the connection, and the server never sees the request.
func DroppedBefore() Misfortune {
	return Misfortune{Name: "dropped before", strike: func(e *encounter) { e.drop = true }}
}

// DroppedAfter forwards the request, and closes the connection.
func DroppedAfter() Misfortune {
	return Misfortune{Name: "dropped after", strike: func(e *encounter) {
		e.forward()
		e.drop = true
	}}
}

// BusyAfter forwards the request, and says that the service is unavailable and
// when to try again.
func BusyAfter() Misfortune {
	m := After(http.StatusServiceUnavailable, "Retry-After", "1")
	m.Name = "busy after"
	return m
}

// TimedOutAfter forwards the request, and says that it took too long to arrive.
func TimedOutAfter() Misfortune { return After(http.StatusRequestTimeout) }

// Late forwards the request at once, and its response after a time.
func Late(by time.Duration) Misfortune {
	return Misfortune{Name: "late by " + by.String(), strike: func(e *encounter) {
		r := e.forward()
		time.Sleep(by)
		e.answer(r)
	}}
}

// Twice forwards the request two times, and passes the second response on, as a
// proxy does that tries again by itself.
func Twice() Misfortune {
	return Misfortune{Name: "twice", strike: func(e *encounter) {
		e.forward()
		e.pass()
	}}
}

// Before answers with a status and headers, and the server never sees the
// request.
func Before(status int, headers ...string) Misfortune {
	return Misfortune{Name: http.StatusText(status) + " before", strike: func(e *encounter) { e.answer(page(status, headers)) }}
}

// After forwards the request, and answers with a status and headers whatever the
// server said.
func After(status int, headers ...string) Misfortune {
	return Misfortune{Name: http.StatusText(status) + " after", strike: func(e *encounter) {
		e.forward()
		e.answer(page(status, headers))
	}}
}

// page is a response of the proxy itself, in HTML as proxies write it.
func page(status int, headers []string) response {
	header := http.Header{"Content-Type": {"text/html"}}
	for i := 0; i+1 < len(headers); i += 2 {
		header.Add(headers[i], headers[i+1])
	}
	text := http.StatusText(status)
	return response{status: status, header: header, body: []byte("<html><title>" + text + "</title><h1>" + text + "</h1></html>\n")}
}
