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

// notices are messages that a process shows once.
type notices struct {
	mu    sync.Mutex
	shown map[string]bool
}

// markShown reports whether a notice is new, and records that it was shown.
func (n *notices) markShown(notice string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.shown[notice] {
		return false
	}
	if n.shown == nil {
		n.shown = map[string]bool{}
	}
	n.shown[notice] = true
	return true
}

// mostNamed is the maximum number of resources in a notice.
const mostNamed = 10

// configured tells the users of a provider, once per stack, which earlier operations
// were never settled. A provider learns its stack only from URNs, and that of the
// provider is the first. Old versions of Pulumi do not send it with Configure, and show no
// notice.
func (n *notices) configured(log engine.Log, urn string, e *engine.Engine) {
	here := journal.Subject{Resource: urn}
	stack, project := here.Stack(), here.Project()
	if stack == "" || !n.markShown("unsettled "+project+" "+stack) {
		return
	}
	open := e.Unsettled(func(s journal.Subject) bool { return s.Stack() == stack && s.Project() == project })
	if len(open) == 0 {
		return
	}
	text := "The outcome of earlier requests is unknown, for " + nameIntents(open) + "."
	const settled = " `pulumi up` settles the requests for resources that are still in the program. For the others, run `declprov journal settle`."
	const byHand = ". Look in the service before `pulumi up` repeats the request. `declprov journal settle` says how to remove it from the list."
	switch blind := slices.DeleteFunc(slices.Clone(open), e.Settles); {
	case len(blind) == 0:
		text += settled
	case len(blind) == len(open):
		text += " The outcome cannot be found out automatically" + byHand
	default:
		text += settled + " The outcome cannot be found out automatically for " + nameIntents(blind) + byHand
	}
	log.Message(engine.Warning, screen.Show(text, nil))
}

// nameIntents returns the names of the first few resources of intents.
func nameIntents(open []journal.Intent) string {
	var named []string
	for _, i := range open[:min(len(open), mostNamed)] {
		named = append(named, fmt.Sprintf("%s %q (%s)", i.Type, i.Name(), i.Began.Local().Format(time.DateTime)))
	}
	if more := len(open) - len(named); more > 0 {
		named = append(named, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(named, ", ")
}

// creating warns once that the journal of a create will be lost with the machine. It
// is called for the first create that needs the journal, so that runs without creates
// show nothing.
func (n *notices) creating(log engine.Log, typ string, e *engine.Engine) {
	if e.LosesIntents(typ) && n.markShown("journal") {
		log.Message(engine.Info, screen.Show("The journal of creates will be lost with this CI runner. If the runner stops before a create has a response, "+
			"the next run cannot settle it. Set DECLPROV_JOURNAL to a folder that is kept between runs.", nil))
	}
}

// grace reports an invalid DECLPROV_CANCEL_GRACE once.
func (n *notices) grace(log engine.Log, fault error) {
	if fault != nil && n.markShown("grace") {
		log.Message(engine.Warning, screen.Show(fault.Error(), nil))
	}
}
