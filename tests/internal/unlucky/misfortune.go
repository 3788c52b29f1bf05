package unlucky

import (
	"net/http"
	"time"
)

// Misfortune is a fault that a proxy applies to a request.
type Misfortune struct {
	Name   string
	strike func(*encounter)
}

// ServerErrorBefore responds with 500 and does not forward the request.
func ServerErrorBefore() Misfortune { return Before(http.StatusInternalServerError) }

// ServerErrorAfter forwards the request and responds with 500.
func ServerErrorAfter() Misfortune { return After(http.StatusInternalServerError) }

// DroppedBefore closes the connection and does not forward the request.
func DroppedBefore() Misfortune {
	return Misfortune{Name: "dropped before", strike: func(e *encounter) { e.drop = true }}
}

// DroppedAfter forwards the request and closes the connection.
func DroppedAfter() Misfortune {
	return Misfortune{Name: "dropped after", strike: func(e *encounter) {
		e.forward()
		e.drop = true
	}}
}

// BusyAfter forwards the request and responds with 503 and Retry-After.
func BusyAfter() Misfortune {
	m := After(http.StatusServiceUnavailable, "Retry-After", "1")
	m.Name = "busy after"
	return m
}

// TimedOutAfter forwards the request and responds with 408.
func TimedOutAfter() Misfortune { return After(http.StatusRequestTimeout) }

// Late forwards the request immediately, and its response after a delay.
func Late(by time.Duration) Misfortune {
	return Misfortune{Name: "late by " + by.String(), strike: func(e *encounter) {
		r := e.forward()
		time.Sleep(by)
		e.answer(r)
	}}
}

// Twice forwards the request twice, and passes on the second response, as a retrying proxy
// does.
func Twice() Misfortune {
	return Misfortune{Name: "twice", strike: func(e *encounter) {
		e.forward()
		e.pass()
	}}
}

// Before responds with a status and headers, and does not forward the request.
func Before(status int, headers ...string) Misfortune {
	return Misfortune{Name: http.StatusText(status) + " before", strike: func(e *encounter) { e.answer(page(status, headers)) }}
}

// After forwards the request, and responds with a status and headers, instead of the server's
// response.
func After(status int, headers ...string) Misfortune {
	return Misfortune{Name: http.StatusText(status) + " after", strike: func(e *encounter) {
		e.forward()
		e.answer(page(status, headers))
	}}
}

// page returns a response of the proxy itself, in HTML as of real proxies.
func page(status int, headers []string) response {
	header := http.Header{"Content-Type": {"text/html"}}
	for i := 0; i+1 < len(headers); i += 2 {
		header.Add(headers[i], headers[i+1])
	}
	text := http.StatusText(status)
	return response{status: status, header: header, body: []byte("<html><title>" + text + "</title><h1>" + text + "</h1></html>\n")}
}
