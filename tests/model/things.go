package model

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/declprov/declprov/tests/model/specgen"
)

// Thing is an object of the API. A part is one, too: it has a parent.
type Thing struct {
	// Serial counts the objects: it tells two apart that had one id.
	Serial   int
	ID, Name string
	// Parent is the id of the object that a part belongs to, Label what the part
	// is called there.
	Parent, Label string
	Colour, Text  string
	Size          float64
	Revision      int
	// Owner and Slot say who made it, and for which resource of the program.
	Owner, Slot string
	// Holders are those who may change it: the owner, and who has imported it.
	Holders map[string]bool
	// Reused are the stacks that had its id in their state when another owner made
	// it: that of an object which is gone.
	Reused map[string]bool
	// Made is the effect that made it, Changed the last that changed it: nil where
	// none has.
	Made, Changed *Entry
	// Gone says that it was deleted, and Marked that a mark stays.
	Gone, Marked bool
}

// Effect is what a request did.
type Effect string

// The effects of requests.
const (
	Nothing Effect = ""
	Made    Effect = "made"
	Again   Effect = "made again" // a version more of an object that was there
	Changed Effect = "changed"
	Removed Effect = "removed"
)

// Entry is a line of the API's log: a request that reached it, and what it did.
type Entry struct {
	Seq     int
	Arrived time.Time // at the proxy
	At      time.Time // at the API
	// Command is the number of the command of the history during which it came.
	Command int
	// Who, Slot and Step say where in which program it is from.
	Who, Slot, Step string
	Method, Path    string
	Body            string
	Key             string
	Status          int
	// ShowsNothing says of a look that it has shown something marked as deleted.
	ShowsNothing bool
	Effect       Effect
	Thing        *Thing
	// Unlucky says what the proxy, or the fate of the client, made of it: "" is
	// an exchange as it should be. Faults after the API's response may be noted
	// after the entry.
	Unlucky string
	// Excused says that the client cannot know what the request did.
	Excused bool
}

func (e *Entry) String() string {
	text := fmt.Sprintf("%3d command %d: %s %s %s: %s %s", e.Seq, e.Command, e.Who, e.Slot, e.Step, e.Method, e.Path)
	if e.Body != "" {
		text += " " + e.Body
	}
	if e.Key != "" {
		text += " key " + e.Key[:min(6, len(e.Key))]
	}
	text += fmt.Sprintf(" -> %d", e.Status)
	if e.Effect != Nothing {
		text += fmt.Sprintf(", %s #%d", e.Effect, e.Thing.Serial)
	}
	if e.Unlucky != "" {
		text += " [" + e.Unlucky + "]"
	}
	return text
}

func (t *Thing) etag() string { return fmt.Sprintf("%q", fmt.Sprintf("r%d-%d", t.Serial, t.Revision)) }

// mark is the serial number as the API shows it.
func (t *Thing) mark() string { return fmt.Sprintf("s-%d", t.Serial) }

// shown is an object as the API shows it.
func (t *Thing) shown() specgen.Object {
	return specgen.Object{
		"id": t.ID, "name": t.Name, "colour": t.Colour, "text": t.Text, "size": t.Size, "serial": t.mark(),
		"etag": t.etag(),
	}
}

// take sets the values that were sent.
func (t *Thing) take(v sent) {
	for to, from := range map[*string]*string{&t.Name: v.Name, &t.Colour: v.Colour, &t.Text: v.Text} {
		if from != nil {
			*to = *from
		}
	}
	if v.Size != nil {
		t.Size = *v.Size
	}
	t.Revision++
}

// holds reports whether the last object that had an id may be changed by an owner.
func (a *API) holds(who, id string) bool {
	for _, t := range slices.Backward(a.things) {
		if t.ID == id && t.Parent == "" {
			return t.Holders[who]
		}
	}
	return false
}

// held reports whether any object that ever had an id might be changed by an owner.
func (a *API) held(who, id string) bool {
	return slices.ContainsFunc(a.things, func(t *Thing) bool { return t.ID == id && t.Parent == "" && t.Holders[who] })
}

// renamedTo reports whether an object has got the name that a body says since it was made.
func (t *Thing) renamedTo(body string) bool {
	var sent struct{ Name string }
	return t.Changed != nil && json.Unmarshal([]byte(body), &sent) == nil && sent.Name != "" && sent.Name == t.Name && !t.says(body)
}

// says reports whether an object was made with what a body says, as far as both say
// it.
func (t *Thing) says(body string) bool {
	var made, sent map[string]any
	if json.Unmarshal([]byte(t.Made.Body), &made) != nil || json.Unmarshal([]byte(body), &sent) != nil {
		return true
	}
	for name, v := range sent {
		if other, said := made[name]; said && other != v {
			return false
		}
	}
	return true
}
