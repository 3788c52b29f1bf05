package model

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/tests/model/specgen"
)

// Played is what came of a history.
type Played struct {
	History    *History
	Violations []Violation
	// Counts are the labels and residuals.
	Counts map[string]int
	// Account is what happened, line by line: commands, what users were told, and
	// the API's log.
	Account []string
}

// World is a history while it is played.
type World struct {
	h      *History
	api    *API
	proxy  *Proxy
	oracle *Oracle
	stacks map[string]Stack
	// programs are what users want now.
	programs map[string]Program
	at       Place
	journals map[string]string
	command  int
	// died says that the host or the provider of the command did not live to its
	// end, and how.
	died    string
	began   time.Time
	mu      sync.Mutex // acts come from requests
	account []string
	told    int // lines of the API's log that are in the account
}

// Place says where a history may keep files, what commands run, and what binary
// providers are.
type Place struct {
	Dir, Tool, Binary string
	// Programs are those of Pulumi, for histories through its CLI.
	Programs Programs
}

// play plays a history in a folder of its own.
func play(h *History, at Place) (_ *Played, err error) {
	w := &World{
		began: time.Now(), at: at,
		h: h, api: newAPI(h.Spec), stacks: map[string]Stack{}, programs: map[string]Program{stackA: {}, stackB: {}}, journals: map[string]string{},
	}
	w.oracle = &Oracle{
		spec: h.Spec, api: w.api, recorded: w.recorded, listed: w.listed,
		counts: map[string]int{}, told: map[*Thing]bool{}, imported: map[*Thing]string{}, mistaken: map[string]bool{}, cancelled: map[string]cancellation{},
	}
	w.api.watch = w.oracle.effect
	if w.proxy, err = newProxy(w.api); err != nil {
		return nil, err
	}
	w.proxy.act = w.act
	defer w.proxy.end()
	if err := w.open(at); err != nil {
		return nil, err
	}
	for _, op := range h.Ops {
		w.play(op)
	}
	w.settle()
	return &Played{History: h, Violations: w.oracle.violations, Counts: w.oracle.counts, Account: w.account}, nil
}

// open makes the stacks.
func (w *World) open(at Place) error {
	folder := ""
	if w.h.Process && !w.h.CLI {
		var err error
		if folder, err = providerFolder(at, w.h.Spec); err != nil {
			return err
		}
	}
	for _, who := range []string{stackA, stackB} {
		w.journals[who] = filepath.Join(at.Dir, "journal")
		if w.h.Apart {
			w.journals[who] += who
		}
		s := settings{
			stack: "stack-" + who, endpoint: "http://" + w.proxy.addr + "/" + who, tool: at.Tool, journal: w.journals[who], dir: at.Dir,
		}
		if w.h.Spec.Method != specgen.Command {
			s.tool = ""
		}
		start := startInside(w.h.Spec, s)
		if w.h.Process && !w.h.CLI {
			start = startOutside(folder, s)
		}
		if !w.h.CLI {
			w.stacks[who] = &Simulated{name: s.stack, start: start}
			continue
		}
		if who == stackB && !w.used(who) {
			continue
		}
		typed, err := openTyped(at.Programs, at, w.h.Spec, who, s)
		if err != nil {
			return err
		}
		w.stacks[who] = typed
	}
	return nil
}

func (w *World) recorded(who string) []Recorded {
	if s := w.stacks[who]; s != nil {
		return s.Recorded()
	}
	return nil
}

// listed reports whether the journal of a stack names a resource: as long as the
// history goes on, in any way; at its end, as something that a person is told of.
func (w *World) listed(who, slot string) bool {
	intents, _ := journal.Open(w.journals[who]).List()
	return slices.ContainsFunc(intents, func(i journal.Intent) bool { return i.Resource == w.stacks[who].URN(slot) })
}

func (w *World) say(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.account = append(w.account, fmt.Sprintf("%5d ms ", time.Since(w.began).Milliseconds())+fmt.Sprintf(format, args...))
}

// next begins another command.
func (w *World) next() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.command++
	w.died = ""
}

// wants makes a program what a user wants from now on.
func (w *World) wants(who string, p Program) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.programs[who] = p
}

// now is what a user wants, and the number of the command that runs.
func (w *World) now(who string) (Program, int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.programs[who], w.command
}

// interrupt tells the provider of the command that runs to stop, and notes it. With
// Pulumi's CLI a process of its own asks it to, and nobody knows when it hears.
func (w *World) interrupt(who string) {
	_, command := w.now(who) // the next may run by the time that it has heard
	w.stacks[who].Interrupt()
	if !w.h.CLI {
		w.oracle.cancel(who, command)
	}
}

// dies notes that the host or the provider of the command that runs is no more.
func (w *World) dies(who, how string) {
	w.mu.Lock()
	w.died = how
	command := w.command
	w.mu.Unlock()
	w.oracle.excuse(who, command, how)
}

// play plays one op, and looks at the world after it.
func (w *World) play(op Op) {
	w.next()
	w.say("%d. %s", w.command, op)
	switch op.Who {
	case foreign:
		w.stranger(op.Do, op.Slot, op.Name)
	case trier:
		w.try(op)
	default:
		w.run(op)
		w.oracle.kept(op.Who, w.command)
	}
	w.log()
	w.oracle.checkpoint(fmt.Sprintf("after %d", w.command))
}

// run runs a command of a user's.
func (w *World) run(op Op) {
	s := w.stacks[op.Who]
	if op.Program != nil {
		w.wants(op.Who, op.Program)
	}
	w.proxy.begin(w.command, op.Who, op.Strikes)
	defer w.proxy.begin(w.command, op.Who, nil)
	for _, strike := range op.Strikes {
		if strike.Step == "start" {
			w.act(op.Who, "", strike.Act)
		}
	}
	var said []string
	switch op.Do {
	case "up":
		said = s.Up(w.programs[op.Who])
	case "refresh":
		said = s.Refresh()
	case "destroy":
		said = s.Destroy()
	case "import":
		said = w.importing(op.Who, op.Slot)
	}
	w.hear(op.Who, said)
	w.mu.Lock()
	died := w.died
	w.mu.Unlock()
	if died != "" { // what came after that moment was not heard of, either
		w.oracle.excuse(op.Who, w.command, died)
	}
}

func (w *World) hear(who string, said []string) {
	w.log()
	for _, text := range said {
		w.say("   it says: %s", text)
		if strings.Contains(text, "a bug in declprov") {
			w.oracle.violation(bug, "%s", text)
		}
	}
	w.say("   state of %s: %v", who, w.recorded(who))
}

// log adds what is new in the API's log to the account.
func (w *World) log() {
	w.api.mu.Lock()
	defer w.api.mu.Unlock()
	for _, e := range w.api.log[w.told:] {
		w.say("   %s", e)
	}
	w.told = len(w.api.log)
}

// importing imports an object that has the name that the program wants: somebody
// else's as well, for that is what its user says.
func (w *World) importing(who, slot string) []string {
	in, ok := w.programs[who][slot]
	if !ok {
		in.Name = names[slot][0]
	}
	w.api.mu.Lock()
	t := w.api.named(in.Name, "")
	w.api.mu.Unlock()
	if t == nil {
		return []string{"there is nothing to import"}
	}
	return w.importThing(who, slot, t)
}

// importThing imports an object: whoever does that, holds it from then on.
func (w *World) importThing(who, slot string, t *Thing) []string {
	typed := t.ID
	if w.h.Spec.ImportByName {
		typed = t.Name
	}
	before := w.recorded(who)
	said := w.stacks[who].Import(slot, typed)
	if len(said) == 0 && len(w.recorded(who)) > len(before) {
		w.api.mu.Lock()
		defer w.api.mu.Unlock()
		t.Holders[who] = true
		w.oracle.imported[t] = slot
	}
	return said
}

// twin is a create by another owner of something that holds what programs begin with:
// nothing but who made it tells it from the resource.
const twin = "create a twin"

// stranger does something as another owner.
func (w *World) stranger(do, slot, name string) {
	_, command := w.now(foreign)
	c := call{who: foreign, arrived: time.Now(), command: command, header: http.Header{}}
	switch do {
	case takePart, leavePart:
		c.step, c.method, c.path = "by hand", "PUT", "/parts/"+name+"-two"
		c.header.Set("If-None-Match", "*")
		if do == leavePart {
			if !w.othersPart(name) {
				return
			}
			c.method = "DELETE"
		}
	case "create", twin:
		c.step, c.method, c.path = "create by hand", "POST", "/things"
		in := specgen.Object{"name": name, "colour": "red", "text": "", "size": 7}
		if do == twin {
			in["size"] = 1
		}
		if w.h.Spec.IDs == "content" {
			in["text"] = "text of " + name
		}
		c.body, _ = json.Marshal(in)
	case "change", "delete":
		t := w.object(slot, name)
		if t == nil {
			return
		}
		c.method, c.path = "DELETE", "/things/"+t.ID
		if do == "change" {
			c.method, c.body = "PATCH", []byte(`{"size":99}`)
		}
	}
	w.api.serve(c)
}

// object is one that a state has for a slot, else one of that name.
func (w *World) object(slot, name string) *Thing {
	var ids []string
	for _, who := range []string{stackA, stackB} {
		for _, r := range w.recorded(who) {
			if r.Slot == slot {
				ids = append(ids, r.ID)
			}
		}
	}
	w.api.mu.Lock()
	defer w.api.mu.Unlock()
	for _, id := range ids {
		if t := w.api.find(id); t != nil {
			return t
		}
	}
	return w.api.named(name, "")
}

// act is what happens at the moment of a request of somebody's.
func (w *World) act(who, slot, act string) {
	s := w.stacks[who]
	if s == nil && !strings.HasPrefix(act, "foreign") {
		return // nobody interrupts a try
	}
	switch act {
	case "foreign create", "foreign " + twin, "foreign change", "foreign delete":
		wanted, _ := w.now(who)
		w.stranger(strings.TrimPrefix(act, "foreign "), slot, wanted[slot].Name)
	case "other up":
		other := stackA
		if who == stackA {
			other = stackB
		}
		wanted, _ := w.now(other)
		w.hear(other, w.stacks[other].Up(wanted))
	case "cancel":
		w.interrupt(who)
	case "cancel twice":
		w.interrupt(who)
		s.Interrupt()
		w.dies(who, act)
	case "crash":
		s.Crash()
		w.dies(who, act)
	case "kill":
		s.Kill()
		w.dies(who, act)
	case "down":
		w.proxy.down(60 * time.Millisecond)
	}
}

// trial is what the resource of a try is called.
const trial = "trial"

// try runs `declprov try`, which makes an object, looks at it and deletes it.
func (w *World) try(op Op) {
	in := Inputs{Name: op.Name, Colour: "red", Size: 1}
	if w.h.Spec.IDs == "content" {
		in.Text = "text of " + in.Name
	}
	w.wants(trier, Program{trial: in})
	w.proxy.begin(w.command, trier, op.Strikes)
	defer w.proxy.begin(w.command, trier, nil)
	args := []string{
		"try", filepath.Join(w.at.Dir, "provider", "model.json"), "Thing", "name=" + in.Name, "colour=" + in.Colour, "text=" + in.Text, "size:=1",
		"--config", "endpoint=http://" + w.proxy.addr + "/" + trier,
	}
	if w.h.Spec.Method == specgen.Command {
		args = append(args, "--config", "tool="+w.at.Tool)
	}
	cmd := exec.Command(w.at.Binary, args...)
	cmd.Dir = w.at.Dir
	cmd.Env = append(os.Environ(), "DECLPROV_JOURNAL="+w.journals[stackA])
	printed, err := cmd.CombinedOutput()
	w.log()
	w.say("   it says: %s (%v)", strings.ReplaceAll(strings.TrimSpace(string(printed)), "\n", "\n            "), err)
}

// prepare makes a folder for one history.
func prepare(base string, h *History) (Place, func(), error) {
	dir, err := os.MkdirTemp(base, fmt.Sprintf("h%d-", h.Number))
	if err != nil {
		return Place{}, nil, err
	}
	return Place{Dir: dir}, func() { _ = os.RemoveAll(dir) }, nil
}
