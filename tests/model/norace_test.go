//go:build !race

package model

var usual = share{histories: 1656, cli: 3, mechanism: 6} // of each cell, one history
