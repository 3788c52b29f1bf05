package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/declprov/declprov/tests/model/specgen"
)

// Proxy stands between the clients and the API.
type Proxy struct {
	api *API
	// addr is where it listens; release gives the port back.
	addr    string
	release func()

	mu      sync.Mutex
	server  *http.Server
	command int
	counts  map[string]int
	strikes map[string][]Strike // of the command that runs, by who runs it
	results map[string]any      // what a redirect leads to
	denied  map[string]bool     // results that were denied once
	act     func(who, slot, act string)
	hold    chan struct{} // closed at the end: nobody hangs any longer
	// underWay counts the commits that come late, idle is told when there is none.
	underWay int
	idle     *sync.Cond
}

func newProxy(api *API) (*Proxy, error) {
	p := &Proxy{
		api: api, counts: map[string]int{}, strikes: map[string][]Strike{}, results: map[string]any{}, denied: map[string]bool{},
		hold: make(chan struct{}),
	}
	p.idle = sync.NewCond(&p.mu)
	var err error
	if p.addr, p.release, err = reservePort(); err != nil {
		return nil, err
	}
	return p, p.listen(p.addr)
}

// late counts what comes late.
func (p *Proxy) late(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.underWay += n
	if p.underWay == 0 {
		p.idle.Broadcast()
	}
}

// quiet waits until all that comes late has come.
func (p *Proxy) quiet() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.underWay > 0 {
		p.idle.Wait()
	}
}

func (p *Proxy) listen(addr string) error {
	l, err := listenShared(addr)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.server = &http.Server{Handler: p}
	go func(s *http.Server) { _ = s.Serve(l) }(p.server) // ends with close
	return nil
}

// close ends the server and all of its connections.
func (p *Proxy) close() {
	p.mu.Lock()
	server := p.server
	p.mu.Unlock()
	_ = server.Close()
}

// end is close, for good.
func (p *Proxy) end() {
	close(p.hold)
	p.quiet()
	p.close()
	p.release()
}

// down refuses connections for some time.
func (p *Proxy) down(during time.Duration) {
	p.close()
	p.late(1)
	go func() {
		defer p.late(-1)
		time.Sleep(during)
		if err := p.listen(p.addr); err != nil {
			panic(err) // the port is ours
		}
	}()
}

// begin arms the strikes of a command.
func (p *Proxy) begin(command int, who string, strikes []Strike) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.command = command
	p.strikes[who] = slices.Clone(strikes)
	clear(p.counts)
}

// strike takes what waits for a request.
func (p *Proxy) strike(who, step string) (Strike, int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.counts[who+step]++
	for i, s := range p.strikes[who] {
		if s.Step == step && s.Nth == p.counts[who+step] {
			p.strikes[who] = slices.Delete(p.strikes[who], i, i+1)
			return s, p.command
		}
	}
	return Strike{}, p.command
}

// ServeHTTP forwards a request, or does not, and answers.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	arrived := time.Now()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // it was never whole
	}
	who, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	c := call{
		who: who, slot: r.Header.Get("X-Slot"), step: r.Header.Get("X-Step"), method: r.Method, path: "/" + path,
		body: bytes.TrimSpace(body), header: r.Header, arrived: arrived,
	}
	if id, ok := strings.CutPrefix(c.path, "/results/"); ok {
		p.result(w, id)
		return
	}
	s, command := p.strike(who, c.step)
	c.command = command
	x := exchange{p: p, w: w, r: r, c: c, s: s}
	x.run()
}

// exchange is one request, and what becomes of it.
type exchange struct {
	p *Proxy
	w http.ResponseWriter
	r *http.Request
	c call
	s Strike
}

func (x *exchange) run() {
	fault := Fault{After: true}
	if x.s.Fault != nil {
		fault = *x.s.Fault
	}
	if x.s.Act != "" && x.s.Before {
		x.p.act(x.c.who, x.c.slot, x.s.Act)
	}
	var status int
	var answer any
	var e *Entry
	if fault.After {
		status, answer, e = x.p.api.serve(x.c)
	} else {
		e = x.p.api.missed(x.c, fault)
	}
	if x.s.Act != "" && !x.s.Before {
		x.p.act(x.c.who, x.c.slot, x.s.Act)
	}
	switch {
	case fault.After && status >= 400 && (fault.Status == 200 || fault.Break == "truncated"):
		x.reply(status, "", answer) // nobody makes a success of a refusal
	case x.s.Fault == nil:
		if strings.HasPrefix(x.s.Act, "cancel") {
			time.Sleep(soon) // whoever aborts, does it now
		}
		x.reply(status, "", answer)
		if (x.r.Context().Err() != nil || x.slow()) && !strings.HasPrefix(x.s.Act, "cancel") {
			x.p.api.note(e, "nobody waited for it")
		}
		return
	case fault.Late > 0:
		x.late(fault, e)
	default:
		if fault.After {
			x.p.api.note(e, fault.Name)
		}
		x.fail(fault, status, answer)
	}
}

// slow reports whether a response came so late that the client may have given up:
// what somebody else did before it may have taken long.
func (x *exchange) slow() bool { return time.Since(x.c.arrived) > answered/2 }

// late holds a request until the client has given up, and forwards it then.
func (x *exchange) late(f Fault, e *Entry) {
	x.p.api.note(e, f.Name)
	x.p.late(1)
	x.wait()
	go func() {
		defer x.p.late(-1)
		time.Sleep(f.Late)
		c := x.c
		c.late = f.Name
		x.p.api.serve(c)
	}()
	x.hangUp("closed")
}

// wait holds a request until the client has given up.
func (x *exchange) wait() {
	select {
	case <-x.r.Context().Done():
	case <-x.p.hold:
	case <-time.After(10 * time.Second):
	}
}

// fail is what the client sees of a fault.
func (x *exchange) fail(f Fault, status int, answer any) {
	switch {
	case f.Exit > 0:
		x.reply(200, fmt.Sprintf("exit %d", f.Exit), specgen.Object{"error": "it says that it failed"})
	case f.Kill:
		x.reply(200, "kill", nil)
	case f.Break == "hang":
		x.wait()
		x.hangUp("closed")
	case f.Break == "truncated":
		x.truncate(answer)
	case f.Break != "":
		x.hangUp(f.Break)
	case f.Redirect && status < 300: // what was refused has no result to lead to
		x.redirect(status, answer)
	case f.Redirect:
		x.reply(status, "", answer)
	case f.Body != "" && x.r.Header.Get("X-Command") != "":
		x.reply(status, "print "+f.Body, nil)
	default:
		if f.Header[0] != "" {
			x.w.Header().Set(f.Header[0], f.Header[1])
		}
		body := f.Body
		if body == "" {
			body = fmt.Sprintf(`{"message":"the proxy says %d"}`, f.Status)
		}
		x.w.Header().Set("Content-Type", "application/json")
		if strings.HasPrefix(body, "<") {
			x.w.Header().Set("Content-Type", "text/html")
		}
		x.w.WriteHeader(f.Status)
		_, _ = io.WriteString(x.w, body)
	}
}

// reply writes a response. exit says to a command how it is to end.
func (x *exchange) reply(status int, exit string, answer any) {
	h := x.w.Header()
	h.Set("Content-Type", "application/json")
	if exit != "" {
		h.Set("X-Exit", exit)
	}
	if m, ok := answer.(specgen.Object); ok && m["etag"] != nil {
		h.Set("ETag", m["etag"].(string))
	}
	if x.p.api.spec.InBand != "" && x.c.step == "create" && status >= 400 && status != 401 {
		status = 200 // the error is in the body
	}
	text, err := json.Marshal(answer)
	if err != nil {
		panic(err)
	}
	x.w.WriteHeader(status)
	_, _ = x.w.Write(text)
}

func (x *exchange) hangUp(how string) {
	conn, _, err := x.w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	if tcp, ok := conn.(*net.TCPConn); ok && how == "reset" {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

// truncate writes a response of which the end is missing.
func (x *exchange) truncate(answer any) {
	text, err := json.Marshal(answer)
	if err != nil {
		panic(err)
	}
	conn, _, err := x.w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(text)+10, text[:len(text)/2])
	_ = conn.Close()
}

// redirect sends the client to the result, where its token is refused once.
func (x *exchange) redirect(status int, answer any) {
	p := x.p
	p.mu.Lock()
	id := fmt.Sprint(len(p.results) + 1)
	p.results[id] = answer
	p.mu.Unlock()
	x.w.Header().Set("Location", "/"+x.c.who+"/results/"+id)
	x.w.WriteHeader(http.StatusSeeOther)
}

func (p *Proxy) result(w http.ResponseWriter, id string) {
	p.mu.Lock()
	answer, denied := p.results[id], p.denied[id]
	p.denied[id] = true
	p.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	if !denied {
		p.api.logOut()
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, `{"error":"the token has ended"}`)
		return
	}
	_ = json.NewEncoder(w).Encode(answer)
}

// missed logs a request that the proxy kept to itself.
func (a *API) missed(c call, why Fault) *Entry {
	a.mu.Lock()
	defer a.mu.Unlock()
	e := &Entry{
		Seq: len(a.log) + 1, Arrived: c.arrived, At: time.Now(), Command: c.command, Who: c.who, Slot: c.slot, Step: c.step,
		Method: c.method, Path: c.path, Body: string(c.body), Key: c.header.Get("Idempotency-Key"),
		Unlucky: why.Name, Excused: !why.Certain,
	}
	a.log = append(a.log, e)
	return e
}

// note says what became of a request, so that the client cannot know.
func (a *API) note(e *Entry, what string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	e.Unlucky, e.Excused = what, true
}

// logOut makes all tokens worthless.
func (a *API) logOut() {
	a.mu.Lock()
	defer a.mu.Unlock()
	clear(a.tokens)
}
