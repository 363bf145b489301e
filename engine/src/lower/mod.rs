//! Lowering: a MIR root and what it calls become one closed `Program` over scalars and arrays-as-functions.
//!
//! Aggregates are split into their scalar leaves, named by the path from the object (`shape`). Calls are inlined
//! (`call`), so that the result has none. References are places: a pointer is a tag that names its target
//! (object + path), an element index for each array on the path, and a length (`pointer`). The possible targets
//! of every pointer are found by lowering again and again until no pointer gains a target: the emission is its
//! own points-to analysis (flow-insensitive, per inlined instance), so there is no second reading of MIR that
//! could disagree with the first. Initialisation is tracked by a flag per leaf; `program::simplify` folds away
//! the flags that are constant. Whatever has no model here ends as `Stop(Unsupported)` with name and line.

mod address;
mod aggregate;
mod atomic;
mod build;
mod bytes;
mod call;
mod called;
mod captures;
mod cast;
mod const_memory;
mod constant;
mod container;
mod contract;
mod crowd;
mod draw;
mod drop;
mod drop_enum;
mod drop_rest;
mod format;
mod formatter;
mod guard;
mod heap;
mod impls;
mod inline;
mod input;
mod instance;
mod intrinsic;
mod layout;
mod mark;
mod memory;
mod module_impl;
mod named_constant;
mod namesakes;
mod nan;
mod needs_drop;
mod newtype;
mod nonzero;
mod number_bytes;
mod opaque;
mod operator;
mod origin;
mod output;
mod place;
mod pointer;
mod promoted;
mod raw_vec;
mod reach;
mod retarget;
mod rvalue;
mod scratch;
mod shape;
mod span;
mod statement;
mod static_body;
mod static_mut;
mod std_call;
mod std_promoted;
mod std_table;
mod stride;
mod tag;
mod tail_call;
mod thread_local;
mod total;
mod trait_default;
mod trait_object;
mod types;
mod utf8;
mod value;
mod wild;
mod window;

use crate::assumption::Assumption;
use crate::capture::{Capture, Facts, ImplHeader};
use crate::mir::{Body, BodyKind, Local, MirFile, Ty};
use crate::program::{Block, BlockId, Input, Program, SourceName, Stop, Terminator};
use crate::term::{Pool, Var};
pub use call::WITHOUT_BODY;
pub(crate) use call::normal_successors;
pub use constant::WITHOUT_VALUE;
pub use contract::{ByContract, Contract, function_of};
pub use heap::CROWDED;
pub use inline::TOO_DEEP;
use instance::InstanceId;
pub use instance::last_segment;
pub use mark::{Mark, MarkKind};
pub use newtype::Newtypes;
use pointer::{Target, TargetId};
use shape::{Shapes, Step};
pub use span::is_foreign;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;
pub use types::erase;

/// Where bodies come from and what the compiler knew when it made them.
pub struct Source<'a> {
    /// Searched in order: the snapshot first, then files that complete it (constants, promoteds).
    pub files: Vec<&'a MirFile>,
    /// Those whose variables have the types that the user wrote: passes turn references into raw pointers.
    pub as_written: Vec<&'a MirFile>,
    pub facts: &'a Facts,
    /// What the bytes of its texts may be.
    pub texts: crate::program::Texts,
    /// Has every place in a loop a row of the heap for each of its allocations (`crowd`)?
    pub rows_everywhere: bool,
    /// Are functions that call themselves several times unfolded equally deep at each of the calls?
    pub even_recursion: bool,
    /// Is the root the first function that is called? Then statics hold what they begin with.
    pub first_call: bool,
    /// `debug_assertions` of the build: the value of `UbChecks`.
    pub ub_checks: bool,
    pub overflow_checks: bool,
    /// The crate's name, as paths print it in other crates.
    pub crate_name: &'a str,
    /// Functions by the name that calls use, where it differs from the name of the body.
    pub aliases: HashMap<String, String>,
    /// Names that calls use for several functions.
    pub ambiguous: BTreeSet<String>,
    /// Functions that the capture made of generic ones.
    pub instances: std::collections::HashSet<&'a str>,
    /// Functions of std that others of this tool stand for.
    pub stand_ins: std::collections::HashSet<&'a str>,
    /// Closures whose bodies may speak of a type's parameters.
    pub may_be_generic: std::collections::HashSet<&'a str>,
    /// The impls that functions stand in, by the functions' paths.
    pub impls: HashMap<&'a str, &'a ImplHeader>,
    /// The first segments of the crate's paths.
    pub modules: BTreeSet<String>,
    /// Types of the crate that implement `Drop`, by path.
    pub drops: BTreeSet<String>,
    /// Functions that the root's `assume_total` names.
    pub total: Vec<String>,
    /// Which calls are known by contracts.
    pub by_contract: ByContract,
    /// The functions with contracts, by their paths.
    pub contracts: HashMap<String, Contract>,
}

/// The types that the bodies of a file implement `Drop` for, generic ones included.
pub fn drop_types(file: &MirFile) -> BTreeSet<String> {
    let drops = file
        .bodies
        .iter()
        .filter(|b| b.arg_count == 1 && instance::last_segment(&b.path) == "drop");
    drops
        .filter_map(|b| match types::pointee(&b.args().next()?.ty)?.kind() {
            crate::mir::TyKind::Adt { path, .. } => Some(path.to_string()),
            _ => None,
        })
        .collect()
}

impl<'a> Source<'a> {
    /// May a part of a value that no captured body makes have a `Drop` of its own, of this crate or another one?
    pub fn may_drop(&self) -> bool {
        !self.drops.is_empty() || self.facts.links_others
    }

    /// The facts and settings of a capture, for these files of it.
    pub fn of(capture: &'a Capture, files: Vec<&'a MirFile>) -> Source<'a> {
        let mut aliases: HashMap<String, String> = HashMap::new();
        let mut ambiguous = BTreeSet::new();
        for f in &capture.info.functions {
            let Some(called_as) = f.called_as.clone() else {
                continue;
            };
            let other = aliases.insert(called_as.clone(), f.path.clone());
            if other.is_some_and(|o| o != f.path) {
                ambiguous.insert(called_as);
            }
        }
        let drops = files.iter().flat_map(|f| drop_types(f)).collect();
        let functions = capture.info.functions.iter();
        let modules = functions
            .filter(|f| !f.is_instance)
            .filter_map(|f| f.path.split("::").next())
            .map(str::to_owned)
            .chain(capture.facts.modules.iter().cloned())
            .collect();
        let functions = capture.info.functions.iter();
        let made = functions.clone().filter(|f| f.is_instance);
        let instances = made.map(|f| f.path.as_str()).collect();
        let stand_ins = functions.clone().filter(|f| f.is_stand_in);
        let stand_ins = stand_ins.map(|f| f.path.as_str()).collect();
        let generic = functions.filter(|f| f.may_be_generic);
        let may_be_generic = generic.map(|f| f.path.as_str()).collect();
        let functions = capture.info.functions.iter();
        let impls = functions
            .filter_map(|f| Some((f.path.as_str(), f.of_impl.as_ref()?)))
            .collect();
        Source {
            instances,
            stand_ins,
            may_be_generic,
            modules,
            impls,
            drops,
            as_written: files.clone(),
            files,
            facts: &capture.facts,
            texts: crate::program::Texts::default(),
            rows_everywhere: false,
            even_recursion: false,
            first_call: false,
            ub_checks: capture.info.profile.debug_assertions,
            overflow_checks: capture.info.profile.overflow_checks,
            crate_name: &capture.info.crate_name,
            aliases,
            ambiguous,
            total: vec![],
            by_contract: ByContract::default(),
            contracts: HashMap::new(),
        }
    }
}

/// Why a root cannot be lowered at all.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum LowerError {
    #[error("no MIR body named `{0}` in the capture")]
    NoBody(String),
    #[error("{0}")]
    Unsupported(String),
    #[error("the program is too large: more than {0} blocks after inlining")]
    TooLarge(usize),
    #[error("pointer targets did not settle after {0} rounds")]
    Unsettled(usize),
}

/// A construct without a model; becomes a `Stop(Unsupported)` where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Gap(pub String);

pub(crate) type Lowered<T> = Result<T, Gap>;

fn gap<T>(what: impl Into<String>) -> Lowered<T> {
    Err(Gap(what.into()))
}

/// An object of the model: a local of an instance, memory behind a parameter, a constant allocation.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum ObjectKey {
    Local(InstanceId, Local),
    /// What the pointer leaf at this path of a root's parameter points to.
    Pointee(ObjectId, Vec<Step>),
    /// A constant's bytes, by file and allocation.
    Alloc(usize, u32),
    /// A literal text.
    Literal(Arc<[u8]>),
    /// A `static mut`, by its path.
    Static(Arc<str>),
    /// What an allocation at this instance, block and statement makes.
    Heap(InstanceId, u32, u32),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub(crate) struct ObjectId(pub u32);

#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub key: ObjectKey,
    pub ty: Ty,
    /// Array dimensions in front of the type's own (rows of jagged parameters).
    pub outer: Vec<u32>,
    /// A name for people.
    pub name: String,
}

/// The part of a leaf that a variable holds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub(crate) enum Part {
    Value,
    /// Is the leaf initialised?
    Flag,
    Tag,
    Index(u8),
    Meta,
}

pub(crate) struct Lowerer<'a> {
    pub source: &'a Source<'a>,
    pub shapes: Shapes,
    pub bodies: instance::Bodies<'a>,
    // Kept from round to round.
    pub objects: Vec<Object>,
    pub object_index: HashMap<ObjectKey, ObjectId>,
    pub instances: Vec<instance::Instance<'a>>,
    pub instance_index: HashMap<(InstanceId, u32, u32), InstanceId>,
    pub targets: Vec<Target>,
    pub target_index: HashMap<Target, TargetId>,
    pub points_to: HashMap<(ObjectId, Vec<Step>), BTreeSet<TargetId>>,
    /// The types that were made trait objects; a trait object's second word is a number of this list.
    pub vtables: Vec<Ty>,
    /// The type under which an allocation is first used.
    pub heap_whole: HashMap<ObjectId, Ty>,
    /// Allocations for values of a known type. Kept from round to round.
    pub boxes: BTreeSet<ObjectId>,
    pub grew: bool,
    /// Objects whose address may change: buffers that grow. Kept from round to round.
    pub movable: BTreeSet<ObjectId>,
    /// Does the user's own code handle memory in ways that the heap's model cannot follow? Asked once.
    pub wild: Option<bool>,
    /// The bodies that it was asked of, if not of all.
    pub called: Option<HashSet<&'a str>>,
    /// Does the root look at the bits of floats? Kept from round to round.
    pub sees_bits: bool,
    /// Memory that a function without a body may have kept a pointer to. Kept from round to round.
    pub escaped: BTreeSet<(ObjectId, Vec<Step>)>,
    /// Statics of atomics, which other threads and earlier calls change. Kept from round to round.
    pub shared: BTreeSet<ObjectId>,
    /// Places that allocate again while what they made is in use. Kept from round to round.
    pub crowds: std::collections::HashSet<ObjectKey>,
    /// Where the allocation of a vector is made, by the call's frame and scope: the first of its places.
    pub heap_places: HashMap<(InstanceId, u32), ObjectKey>,
    pub unfolded: inline::Unfolded,
    /// Is the statement at hand one of std's own iterators?
    pub iterating: bool,
    // Made anew in each round.
    pub pool: Pool,
    pub blocks: Vec<Block>,
    pub current: BlockId,
    pub stops: Vec<Stop>,
    stop_numbers: HashMap<Stop, usize>,
    pub vars: BTreeMap<(ObjectId, Vec<Step>, Part), Var>,
    /// Blocks that get `flag := false` for the locals of an instance once all flags are known.
    pub resets: Vec<(BlockId, InstanceId, bool)>,
    /// Where the bodies of instances begin.
    pub entries: HashMap<InstanceId, BlockId>,
    /// Writes of the place being assigned, not emitted yet.
    pub pending: BTreeMap<Var, crate::term::Term>,
    /// Places that lose their value when the statement is done.
    pub moved: Vec<crate::mir::Place>,
    /// Are the operands of a call being read?
    pub in_call: bool,
    /// The types whose values are being dropped, from the outermost.
    pub dropping: Vec<crate::mir::Ty>,
    pub draw_kinds: Vec<(Var, crate::program::ScalarKind)>,
    /// Variables that hold a drawn value for a moment.
    pub draw_vars: Vec<Var>,
    pub inputs: Vec<Input>,
    pub input_vars: BTreeSet<Var>,
    pub requires: Vec<crate::term::Term>,
    /// The blocks that allocations are made in.
    pub allocating: BTreeSet<(ObjectId, BlockId)>,
    /// Objects whose contents were set up at entry in this round.
    pub prepared: BTreeSet<ObjectId>,
    pub entry_setup: Vec<crate::program::Stmt>,
    /// Inputs behind `&mut`: what they are in the end is seen by the caller, and is compared between passes.
    pub behind_mut: BTreeSet<Var>,
    /// The instance, and the span of the statement being lowered.
    pub frame: InstanceId,
    pub span: Option<crate::program::SourceSpan>,
    /// How often constants were inlined at the current block, to tell their instances apart.
    pub const_site: u32,
    /// The MIR block, and the statement in it.
    pub mir_block: u32,
    pub statement: u32,
    /// Locals of this block that hold the address of a pointer as a number.
    pub exposed: HashMap<Local, value::PointerValue>,
    /// What the lowering relied on.
    pub used: BTreeSet<Assumption>,
    /// What its assumptions speak of, by name.
    pub named: BTreeSet<(Assumption, String)>,
    /// Assumptions and assertions of the user's.
    pub marks: Vec<Mark>,
    /// Is a contract lowered in place of a call?
    pub in_contract: bool,
    /// The function that it is the body of.
    pub contract_root: Option<instance::BodyRef<'a>>,
    /// Where the call is that it stands for.
    pub contract_site: Option<crate::program::SourceSpan>,
    /// Roots whose contracts stand for calls.
    pub contracts_used: BTreeSet<String>,
    /// Does a function call itself, by way of others or not?
    pub recursive: HashMap<String, bool>,
}

/// Programs larger than this are refused rather than ground through.
const MAX_BLOCKS: usize = 240_000;
/// Rounds of lowering until pointer targets are settled; nesting depth of pointers is small in practice.
const MAX_ROUNDS: usize = 24;

/// Lowers the root with this MIR path.
pub fn lower(source: &Source<'_>, root: &str) -> Result<Program, LowerError> {
    lower_with_assumptions(source, root).map(|(program, _)| program)
}

/// What a lowering relied on, and what of it has names.
#[derive(Clone, Debug, Default)]
pub struct Relied {
    pub used: BTreeSet<Assumption>,
    pub named: BTreeSet<(Assumption, String)>,
    /// Roots whose contracts stand for calls, by name.
    pub contracts: BTreeSet<String>,
    /// The user's own assumptions and assertions, by the blocks of the program as it was lowered.
    pub marks: Vec<Mark>,
}

/// The same, with what the program relies on.
pub fn lower_with_assumptions(
    source: &Source<'_>,
    root: &str,
) -> Result<(Program, Relied), LowerError> {
    let bodies = instance::Bodies::new(source);
    let body = match bodies.by_path(root, BodyKind::Fn) {
        Ok(Some(body)) => body,
        Ok(None) => return Err(LowerError::NoBody(root.to_string())),
        Err(Gap(what)) => return Err(LowerError::Unsupported(what)),
    };
    // Paths of this crate print without its name: a module named like a crate of std cannot be told from it.
    let bodies_of_files = source.files.iter().flat_map(|f| &f.bodies);
    let mut own = bodies_of_files.filter(|b| !source.instances.contains(&*b.path));
    let of_std = own.any(|b| b.kind == BodyKind::Fn && types::in_std(&b.path).is_some());
    if of_std || source.facts.shadows_std {
        let what = "a module of the crate that is named like a crate of std";
        return Err(LowerError::Unsupported(what.to_string()));
    }
    let shapes = Shapes::infer(source, body.body);
    let mut lowerer = Lowerer::new(source, shapes, bodies);
    let mut rounds = 0;
    while rounds < MAX_ROUNDS {
        rounds += 1;
        lowerer.restart();
        lowerer.lower_root(body)?;
        if lowerer.is_uneven() {
            rounds = 0;
            continue;
        }
        if lowerer.grew {
            continue;
        }
        if lowerer.find_crowds() {
            rounds = 0;
        } else {
            lowerer
                .statics_are_its_own()
                .map_err(LowerError::Unsupported)?;
            let relied = Relied {
                used: lowerer.assumptions(),
                named: std::mem::take(&mut lowerer.named),
                contracts: std::mem::take(&mut lowerer.contracts_used),
                marks: std::mem::take(&mut lowerer.marks),
            };
            return Ok((lowerer.finish(root), relied));
        }
    }
    Err(LowerError::Unsettled(MAX_ROUNDS))
}

impl<'a> Lowerer<'a> {
    fn new(source: &'a Source<'a>, shapes: Shapes, bodies: instance::Bodies<'a>) -> Lowerer<'a> {
        Lowerer {
            source,
            shapes,
            bodies,
            objects: vec![],
            object_index: HashMap::new(),
            instances: vec![],
            instance_index: HashMap::new(),
            targets: vec![],
            target_index: HashMap::new(),
            points_to: HashMap::new(),
            vtables: vec![],
            heap_whole: HashMap::new(),
            boxes: BTreeSet::new(),
            grew: false,
            movable: BTreeSet::new(),
            wild: None,
            called: None,
            sees_bits: false,
            escaped: BTreeSet::new(),
            shared: BTreeSet::new(),
            crowds: Default::default(),
            heap_places: Default::default(),
            unfolded: inline::Unfolded {
                most: inline::MAX_DEPTH,
                deepest: 0,
                cut: None,
            },
            allocating: BTreeSet::new(),
            iterating: false,
            pool: Pool::new(),
            blocks: vec![],
            current: BlockId(0),
            stops: vec![],
            stop_numbers: HashMap::new(),
            vars: BTreeMap::new(),
            resets: vec![],
            entries: HashMap::new(),
            pending: BTreeMap::new(),
            moved: vec![],
            dropping: vec![],
            in_call: false,
            draw_kinds: vec![],
            draw_vars: vec![],
            inputs: vec![],
            input_vars: BTreeSet::new(),
            requires: vec![],
            prepared: BTreeSet::new(),
            entry_setup: vec![],
            behind_mut: BTreeSet::new(),
            frame: InstanceId(0),
            span: None,
            const_site: 0,
            mir_block: 0,
            statement: 0,
            exposed: HashMap::new(),
            used: BTreeSet::new(),
            named: BTreeSet::new(),
            marks: vec![],
            in_contract: false,
            contract_root: None,
            contract_site: None,
            contracts_used: BTreeSet::new(),
            recursive: HashMap::new(),
        }
    }

    fn restart(&mut self) {
        self.grew = false;
        self.pool = Pool::new();
        self.blocks.clear();
        self.stops.clear();
        self.stop_numbers.clear();
        self.vars.clear();
        self.resets.clear();
        self.entries.clear();
        self.draw_vars.clear();
        self.draw_kinds.clear();
        self.pending.clear();
        self.moved.clear();
        self.inputs.clear();
        self.input_vars.clear();
        self.requires.clear();
        self.prepared.clear();
        self.allocating.clear();
        self.unfolded.deepest = 0;
        self.unfolded.cut = None;
        self.entry_setup.clear();
        self.behind_mut.clear();
        self.used.clear();
        self.named.clear();
        self.contracts_used.clear();
        self.marks.clear();
        self.span = None;
    }

    fn lower_root(&mut self, body: instance::BodyRef<'a>) -> Result<(), LowerError> {
        let entry = self.new_block();
        let start = self.new_block();
        self.blocks[entry.index()].terminator = Terminator::Goto(start);
        let root = self.root_instance(body);
        self.current = start;
        self.frame = root;
        self.make_inputs(root)
            .map_err(|g| LowerError::Unsupported(g.0))?;
        let exit = self.new_block();
        self.blocks[exit.index()].terminator = Terminator::Return;
        self.lower_instance(root, exit);
        if self.blocks.len() > MAX_BLOCKS {
            return Err(LowerError::TooLarge(MAX_BLOCKS));
        }
        self.finish_blocks();
        self.resets.push((entry, root, true));
        self.fill_resets();
        let setup = std::mem::take(&mut self.entry_setup);
        self.blocks[entry.index()].stmts.extend(setup);
        Ok(())
    }

    /// Writes the `flag := false` statements, now that all flags are known.
    fn fill_resets(&mut self) {
        let no = self.pool.bool(false);
        let mut by_instance: HashMap<InstanceId, Vec<(Local, Var)>> = HashMap::new();
        for ((object, _, part), &var) in &self.vars {
            if *part == Part::Flag
                && let ObjectKey::Local(instance, local) = &self.objects[object.0 as usize].key
            {
                by_instance
                    .entry(*instance)
                    .or_default()
                    .push((*local, var));
            }
        }
        for (block, instance, entering) in std::mem::take(&mut self.resets) {
            let body: &Body = self.instances[instance.0 as usize].body.body;
            let mut stmts = vec![];
            for &(local, var) in by_instance.get(&instance).into_iter().flatten() {
                // Parameters come initialised; the returned value has been copied out before the frame dies.
                let is_arg = local.0 >= 1 && local.0 <= body.arg_count;
                if entering && is_arg {
                    continue;
                }
                let sort = self.pool.var_info(var).sort;
                let value = if sort.is_array() {
                    self.pool.const_array(no, sort)
                } else {
                    no
                };
                stmts.push(crate::program::Stmt::Assign(var, value));
            }
            let old = std::mem::take(&mut self.blocks[block.index()].stmts);
            self.blocks[block.index()].stmts = stmts.into_iter().chain(old).collect();
        }
    }

    /// What was noted on the way, and what the objects say.
    fn assumptions(&self) -> BTreeSet<Assumption> {
        let mut used = self.used.clone();
        for object in &self.objects {
            match object.key {
                ObjectKey::Heap(..) => used.extend([Assumption::Heap]),
                ObjectKey::Pointee(..) => {
                    used.extend([Assumption::NoAlias, Assumption::SingleThread]);
                }
                ObjectKey::Static(_) => used.extend([Assumption::SingleThread]),
                ObjectKey::Local(..) | ObjectKey::Alloc(..) | ObjectKey::Literal(_) => {}
            }
        }
        if !self.vtables.is_empty() {
            used.insert(Assumption::TraitObjects);
        }
        used
    }

    fn finish(mut self, root: &str) -> Program {
        let mut source_names = vec![];
        let all: Vec<_> = self.vars.iter().map(|(k, v)| (k.clone(), *v)).collect();
        for ((object, path, part), var) in &all {
            let (object, var) = (*object, *var);
            let name = self.objects[object.0 as usize].name.clone();
            if *part == Part::Value && !name.is_empty() && !name.starts_with('_') {
                let kind = self.leaf_kind(object, path);
                let name = self.pool.var_info(var).name.clone();
                let is_users = self.is_named_by_user(&self.objects[object.0 as usize].key);
                let of = self.own_type(object);
                source_names.push((
                    var,
                    SourceName {
                        name,
                        kind,
                        is_users,
                        of,
                    },
                ));
            }
        }
        for ((object, path, part), var) in &all {
            if let Some(origin) = self.origin(*object, path, *part) {
                self.pool.set_origin(*var, origin);
            }
        }
        let returned = self.returned_shape();
        let outputs = self.output_vars();
        let mut vars: Vec<Var> = self.vars.values().copied().collect();
        vars.extend(&self.draw_vars);
        let mut program = Program {
            name: root.to_string(),
            entry: BlockId(0),
            vars,
            blocks: std::mem::take(&mut self.blocks),
            stops: std::mem::take(&mut self.stops),
            inputs: std::mem::take(&mut self.inputs),
            requires: std::mem::take(&mut self.requires),
            outputs,
            returned,
            source_names,
            draw_kinds: std::mem::take(&mut self.draw_kinds),
            pool: self.pool,
        };
        crate::program::utf8::assume_texts(&mut program, &self.behind_mut);
        crate::program::settle::settle(&mut program, &self.behind_mut);
        program
    }
}
