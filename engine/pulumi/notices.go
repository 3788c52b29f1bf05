package pulumi

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/spec/screen"
)

// notices are what a process tells its users of by itself, each of them once.
type notices struct {
	mu   sync.Mutex
	told map[string]bool
}

// first reports whether a notice is new, and notes it.
func (n *notices) first(notice string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.told[notice] {
		return false
	}
	if n.told == nil {
		n.told = map[string]bool{}
	}
	n.told[notice] = true
	return true
}

// mostNamed is how many resources a notice names.
const mostNamed = 10

// configured tells the users of a provider, once for each of their stacks, which
// earlier creates were never settled. A provider learns its stack from nothing but
// URNs, and its own is the first that it is sent. Old engines send none with
// Configure, and are told nothing.
func (n *notices) configured(log engine.Log, urn string, e *engine.Engine) {
	here := journal.Subject{Resource: urn}
	stack, project := here.Stack(), here.Project()
	if stack == "" || !n.first("unsettled "+project+" "+stack) {
		return
	}
	open := e.Unsettled(func(s journal.Subject) bool { return s.Stack() == stack && s.Project() == project })
	if len(open) == 0 {
		return
	}
	text := "Nobody knows what came of earlier requests for " + naming(open) + "."
	const settled = " `pulumi up` settles those of resources that the program still has; for the others run `declprov journal settle`."
	const byHand = ": look in the service before `pulumi up` does it again; `declprov journal settle` says what takes it off the list."
	switch blind := slices.DeleteFunc(slices.Clone(open), e.Settles); {
	case len(blind) == 0:
		text += settled
	case len(blind) == len(open):
		text += " Nothing can find out" + byHand
	default:
		text += settled + " Nothing can find out about " + naming(blind) + byHand
	}
	log.Message(engine.Warning, screen.Show(text, nil))
}

// naming names the resources of intents, the first few.
func naming(open []journal.Intent) string {
	var named []string
	for _, i := range open[:min(len(open), mostNamed)] {
		named = append(named, fmt.Sprintf("%s %q (%s)", i.Type, i.Name(), i.Began.Local().Format(time.DateTime)))
	}
	if more := len(open) - len(named); more > 0 {
		named = append(named, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(named, ", ")
}

// creating notes, once, that the journal of a create will not outlive the machine.
// It is told at the first create that needs the journal and not at each Configure,
// so that runs that create nothing stay silent.
func (n *notices) creating(log engine.Log, typ string, e *engine.Engine) {
	if e.LosesIntents(typ) && n.first("journal") {
		log.Message(engine.Info, screen.Show("The journal of creates will not outlive this CI runner. If the runner stops while a create is not answered, "+
			"the next run cannot settle it. Set DECLPROV_JOURNAL to a folder that is kept between runs.", nil))
	}
}

// grace tells what is wrong with DECLPROV_CANCEL_GRACE, once.
func (n *notices) grace(log engine.Log, fault error) {
	if fault != nil && n.first("grace") {
		log.Message(engine.Warning, screen.Show(fault.Error(), nil))
	}
}
