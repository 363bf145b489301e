//! Trace automata: which sequences of edges are redundant, and never need to be explored.
//!
//! Lineage: section 5 of "Proving Safety with Trace Automata and Bounded Model Checking" (Kroening, Lewis,
//! Weissenbacher). The restriction language is given by forbidden words (a looping path that its accelerator
//! subsumes; an accelerator after an unsaturated one); a trace that contains one is subsumed by another trace.
//! The automaton is built by subset construction and minimised, and runs in product with the cut-point graph.
//! Changed: letters are edges of the large-block graph, not statements, so words have a handful of letters.

use std::collections::BTreeMap;

/// A letter: an edge of the accelerated graph.
pub type Letter = usize;

/// A deterministic automaton, complete over its letters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dfa {
    pub n_letters: usize,
    pub start: usize,
    /// `next[state][letter]`
    pub next: Vec<Vec<usize>>,
    pub accepting: Vec<bool>,
}

impl Dfa {
    /// Accepts the words that contain one of the given words.
    pub fn containing(words: &[Vec<Letter>], n_letters: usize) -> Dfa {
        determinise(&Nfa::containing(words), n_letters).minimised()
    }

    pub fn step(&self, state: usize, letter: Letter) -> usize {
        self.next[state][letter]
    }

    pub fn accepts(&self, word: &[Letter]) -> bool {
        let end = word.iter().fold(self.start, |q, &l| self.step(q, l));
        self.accepting[end]
    }

    pub fn n_states(&self) -> usize {
        self.next.len()
    }

    /// The smallest equivalent automaton (Moore: refine "accepting or not" until successors agree).
    pub fn minimised(&self) -> Dfa {
        let n = self.n_states();
        let mut class: Vec<usize> = self.accepting.iter().map(|&a| usize::from(a)).collect();
        let mut n_classes = 0;
        loop {
            let mut keys: BTreeMap<(usize, Vec<usize>), usize> = BTreeMap::new();
            let mut refined = vec![0; n];
            for q in 0..n {
                let key = (class[q], self.next[q].iter().map(|&r| class[r]).collect());
                let fresh = keys.len();
                refined[q] = *keys.entry(key).or_insert(fresh);
            }
            class = refined;
            if keys.len() == n_classes {
                break;
            }
            n_classes = keys.len();
        }
        let mut out = Dfa {
            n_letters: self.n_letters,
            start: class[self.start],
            next: vec![vec![]; n_classes],
            accepting: vec![false; n_classes],
        };
        for q in 0..n {
            out.next[class[q]] = self.next[q].iter().map(|&r| class[r]).collect();
            out.accepting[class[q]] = self.accepting[q];
        }
        out
    }
}

/// States with transitions; `None` is any letter.
struct Nfa {
    transitions: Vec<Vec<(Option<Letter>, usize)>>,
    accepting: usize,
}

impl Nfa {
    /// A loop on every letter, one chain for each word, and a final state that stays final.
    fn containing(words: &[Vec<Letter>]) -> Nfa {
        let mut transitions = vec![vec![(None, 0)], vec![(None, 1)]];
        for word in words {
            let mut at = 0;
            for (i, &l) in word.iter().enumerate() {
                let to = if i + 1 == word.len() {
                    1
                } else {
                    transitions.push(vec![]);
                    transitions.len() - 1
                };
                transitions[at].push((Some(l), to));
                at = to;
            }
        }
        Nfa {
            transitions,
            accepting: 1,
        }
    }
}

fn determinise(nfa: &Nfa, n_letters: usize) -> Dfa {
    let mut numbers: BTreeMap<Vec<usize>, usize> = BTreeMap::from([(vec![0], 0)]);
    let mut sets = vec![vec![0]];
    let mut next: Vec<Vec<usize>> = vec![];
    while next.len() < sets.len() {
        let from = sets[next.len()].clone();
        let mut row = Vec::with_capacity(n_letters);
        for letter in 0..n_letters {
            let mut to: Vec<usize> = from
                .iter()
                .flat_map(|&q| &nfa.transitions[q])
                .filter(|(l, _)| l.is_none_or(|l| l == letter))
                .map(|&(_, q)| q)
                .collect();
            to.sort_unstable();
            to.dedup();
            let fresh = sets.len();
            let number = *numbers.entry(to.clone()).or_insert(fresh);
            if number == fresh {
                sets.push(to);
            }
            row.push(number);
        }
        next.push(row);
    }
    let accepting = sets.iter().map(|s| s.contains(&nfa.accepting)).collect();
    Dfa {
        n_letters,
        start: 0,
        next,
        accepting,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words_up_to(n_letters: usize, length: usize) -> Vec<Vec<Letter>> {
        let mut out = vec![vec![]];
        let mut last = vec![vec![]];
        for _ in 0..length {
            last = last
                .iter()
                .flat_map(|w: &Vec<Letter>| {
                    (0..n_letters).map(move |l| {
                        let mut w = w.clone();
                        w.push(l);
                        w
                    })
                })
                .collect();
            out.extend(last.clone());
        }
        out
    }

    fn contains(word: &[Letter], part: &[Letter]) -> bool {
        word.windows(part.len()).any(|w| w == part)
    }

    #[test]
    fn accepts_exactly_the_words_with_a_forbidden_part() {
        let families: [&[&[Letter]]; 4] = [
            &[&[0], &[1, 1]],
            &[&[0, 1, 0], &[1, 2], &[2, 2]],
            &[&[0, 0, 1], &[0, 1, 2]],
            &[],
        ];
        for family in families {
            let forbidden: Vec<Vec<Letter>> = family.iter().map(|w| w.to_vec()).collect();
            let dfa = Dfa::containing(&forbidden, 3);
            for word in words_up_to(3, 6) {
                let expected = forbidden.iter().any(|f| contains(&word, f));
                assert_eq!(dfa.accepts(&word), expected, "{forbidden:?} {word:?}");
            }
        }
    }

    /// The paper's Figure 8(d): path 0 and accelerator 1 with `0 | 1 1`. Ours needs three states (the paper
    /// reads a path as several statements).
    #[test]
    fn is_minimal() {
        let dfa = Dfa::containing(&[vec![0], vec![1, 1]], 3);
        assert_eq!(dfa.n_states(), 3);
        assert_eq!(dfa.minimised(), dfa.minimised().minimised());
        // Every pair of states is told apart by a short word.
        let big = Dfa::containing(&[vec![0, 1, 0], vec![1, 2], vec![2, 2]], 3);
        let run = |q: usize, w: &[Letter]| w.iter().fold(q, |q, &l| big.step(q, l));
        for p in 0..big.n_states() {
            for q in 0..p {
                assert!(
                    words_up_to(3, 4)
                        .iter()
                        .any(|w| big.accepting[run(p, w)] != big.accepting[run(q, w)])
                );
            }
        }
    }

    /// The twin: dropping a forbidden word changes the language.
    #[test]
    fn a_missing_word_is_noticed() {
        let whole = Dfa::containing(&[vec![0], vec![1, 1]], 2);
        let part = Dfa::containing(&[vec![0]], 2);
        assert!(whole.accepts(&[1, 1]) && !part.accepts(&[1, 1]));
    }
}
