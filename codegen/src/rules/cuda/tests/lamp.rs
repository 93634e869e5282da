//! The API of the tests: lamps, imported by a descriptor like those of external memory.

use crate::{
    finding::{Document, Finding, Findings, Strictness},
    import::cuda::{Comment, SubjectKind},
    model::{
        Alias, Api, CType, Command, Constant, Enumeration, EnumerationKind, Enumerator, ErrorChannel, ErrorList, HandleType,
        Lifetime, Member, Model, Parameter, PerTarget, Record, RecordKind, Rule, Value,
    },
    overlay::Overlay,
    rules::{
        cuda::{self, CudaRules},
        reviewed::Reviewed,
        sentence,
    },
};

/// What the function says. Each paragraph is about one handle type.
const IMPORT: &str = r"\brief Imports a lamp

\code
typedef struct CUDA_EXTERNAL_LAMP_DESC_st {
  CUexternalLampType type;
  union {
    int fd;
    struct {
      void *handle;
      const void *name;
    } win32;
    const void *object;
  } handle;
  unsigned int flags;
} CUDA_EXTERNAL_LAMP_DESC;
\endcode

\code
typedef enum CUexternalLampType_enum {
  CU_EXTERNAL_LAMP_HANDLE_TYPE_FD = 1,
  CU_EXTERNAL_LAMP_HANDLE_TYPE_KMT = 3
} CUexternalLampType;
\endcode

If ::CUDA_EXTERNAL_LAMP_DESC::type is ::CU_EXTERNAL_LAMP_HANDLE_TYPE_FD, then ::CUDA_EXTERNAL_LAMP_DESC::handle::fd must be a valid
file descriptor referencing a memory object.
Ownership of the file descriptor is transferred to the CUDA driver when the handle is imported successfully.

If ::CUDA_EXTERNAL_LAMP_DESC::type is ::CU_EXTERNAL_LAMP_HANDLE_TYPE_WIN32, then exactly one of
::CUDA_EXTERNAL_LAMP_DESC::handle::win32::handle and ::CUDA_EXTERNAL_LAMP_DESC::handle::win32::name must not be NULL.
If ::CUDA_EXTERNAL_LAMP_DESC::handle::win32::handle is not NULL, then it must represent a valid shared NT handle that references a
memory object.
Ownership of this handle is not transferred to CUDA after the import operation, so the application must release the handle using the
appropriate system call.
If ::CUDA_EXTERNAL_LAMP_DESC::handle::win32::name is not NULL, then it must point to a NULL-terminated array of UTF-16 characters that
refers to a memory object.

If ::CUDA_EXTERNAL_LAMP_DESC::type is ::CU_EXTERNAL_LAMP_HANDLE_TYPE_KMT, then ::CUDA_EXTERNAL_LAMP_DESC::handle::win32::handle must
be non-NULL and ::CUDA_EXTERNAL_LAMP_DESC::handle::win32::name must be NULL.
The handle specified must be a globally shared KMT handle.
This handle does not hold a reference to the underlying object, and thus will be invalid when all references to the memory object are
destroyed.

If ::CUDA_EXTERNAL_LAMP_DESC::type is ::CU_EXTERNAL_LAMP_HANDLE_TYPE_OBJECT, then ::CUDA_EXTERNAL_LAMP_DESC::handle::object must be non-NULL.

Specifying the flag ::CUDA_EXTERNAL_LAMP_BRIGHT in ::CUDA_EXTERNAL_LAMP_DESC::flags indicates that the resource is a dedicated resource.
This flag must be set if ::CUDA_EXTERNAL_LAMP_DESC::type is one of the following: ::CU_EXTERNAL_LAMP_HANDLE_TYPE_KMT

\return
::CUDA_SUCCESS,
::CUDA_ERROR_COLD
\notefnerr";

/// What the members say.
const MEMBERS: [(&str, &str); 5] = [
    ("handle::fd", "Valid when type is ::CU_EXTERNAL_LAMP_HANDLE_TYPE_FD"),
    (
        "handle::win32",
        "Valid when type is one of the following:\n- ::CU_EXTERNAL_LAMP_HANDLE_TYPE_WIN32\n- ::CU_EXTERNAL_LAMP_HANDLE_TYPE_KMT\n\
         Exactly one of 'handle' and 'name' must be non-NULL. If type is one of the following:\n- ::CU_EXTERNAL_LAMP_HANDLE_TYPE_KMT\n\
         then 'name' must be NULL.",
    ),
    ("handle::win32::handle", "Must be NULL if 'name' is non-NULL"),
    ("handle::win32::name", "Must be NULL if 'handle' is non-NULL."),
    ("flags", "Flags must either be zero or ::CUDA_EXTERNAL_LAMP_BRIGHT"),
];

/// The API with its comments, and what was decided on it.
#[derive(Clone)]
pub(super) struct Lamp {
    comments: Vec<(String, SubjectKind, String)>,
    overlay: String,
    pub(super) reviewed: String,
}

/// What was read.
pub(super) struct Read {
    pub(super) rules: CudaRules,
}

impl Lamp {
    pub(super) fn new() -> Self {
        let mut comments = vec![("cuImportExternalMemoryLamp".to_owned(), SubjectKind::Command, IMPORT.to_owned())];
        let members =
            MEMBERS.map(|(path, text)| (format!("CUDA_EXTERNAL_LAMP_DESC::{path}"), SubjectKind::Member, text.to_owned()));
        comments.extend(members);
        comments.push(("cuLampTurn".to_owned(), SubjectKind::Command, "\\p lamp must be non-zero.".to_owned()));
        let explains = format!("explains = [\"cuImportExternalMemoryLamp #{}\"]\n", sentence::hash("Imports a lamp"));
        let mut lamp = Self { comments, overlay: String::new(), reviewed: explains };
        lamp.decide("handle-type-column", "CU_EXTERNAL_LAMP_HANDLE_TYPE_OBJECT/owner_on_success", "\"unspecified\"");
        lamp
    }

    /// Changes a comment; what is to be changed must be there.
    pub(super) fn replace(&mut self, subject: &str, from: &str, to: &str) {
        let comment = self.comments.iter_mut().find(|(name, ..)| name == subject).expect("a comment of the API");
        assert!(comment.2.contains(from), "{from}");
        comment.2 = comment.2.replace(from, to);
    }

    pub(super) fn decide(&mut self, question: &str, subject: &str, value: &str) {
        let entry = format!(
            "[[entry]]\napi = \"cuda\"\nsettles = \"{question}\"\nsubject = \"{subject}\"\nvalue = {value}\nreason = \"because\"\nevidence = \"seen\"\n"
        );
        self.overlay.push_str(&entry);
    }

    /// The header that the comments stand in, one after another, with the range and first line of each.
    fn header(&self) -> (Document, Vec<(std::ops::Range<usize>, u32)>) {
        let mut text = String::new();
        let mut ranges = Vec::new();
        for (_, _, comment) in &self.comments {
            let start = text.len();
            let line = u32::try_from(text.matches('\n').count() + 1).unwrap();
            text.push_str("/**\n");
            for line in comment.lines() {
                text.push_str(line);
                text.push('\n');
            }
            text.push_str("*/");
            ranges.push((start..text.len(), line));
            text.push_str("\nint x;\n");
        }
        (Document::new("lamp.h", &text), ranges)
    }

    /// The line of the header that holds `text`.
    pub(super) fn line_of(&self, text: &str) -> usize {
        let (document, _) = self.header();
        document.text()[..document.text().find(text).expect("a text of the header")].matches('\n').count() + 1
    }

    fn comments(&self) -> Vec<Comment> {
        let (document, ranges) = self.header();
        self.comments
            .iter()
            .zip(ranges)
            .map(|((subject, kind, text), (range, first))| Comment {
                subject: subject.clone(),
                kind: *kind,
                item: subject.split("::").next().unwrap_or_default().to_owned(),
                member: subject.rsplit_once("::").map(|(_, member)| member.to_owned()),
                spelled: subject.clone(),
                group: None,
                doxygen: true,
                document: document.clone(),
                range,
                lines: (first, first),
                text: format!("\n{text}\n"),
            })
            .collect()
    }

    pub(super) fn try_read(&self, strictness: Strictness) -> Result<(CudaRules, Findings), Findings> {
        let overlay = Overlay::read(Document::new("overlay.toml", &self.overlay)).unwrap();
        let reviewed = Reviewed::read(Document::new("reviewed.toml", &self.reviewed)).unwrap();
        cuda::rules(&self.comments(), &model(), &overlay, &reviewed, strictness)
    }

    /// Reads, and fails the test if anything was found.
    pub(super) fn read(&self) -> Read {
        let (rules, findings) = self.try_read(Strictness::Strict).unwrap_or_else(|findings| panic!("{findings}"));
        assert!(findings.0.is_empty(), "{findings}");
        Read { rules }
    }

    /// The one error that reading ends with.
    pub(super) fn only_error(&self) -> Finding {
        let findings = self.try_read(Strictness::Strict).expect_err("an error");
        assert_eq!(findings.0.len(), 1, "{findings}");
        findings.0[0].clone()
    }
}

impl Read {
    pub(super) fn rule(&self, id: &str) -> &Rule {
        let ids: Vec<_> = self.rules.rules.iter().map(|rule| rule.id.as_str()).collect();
        self.rules.rules.iter().find(|rule| rule.id == id).unwrap_or_else(|| panic!("no {id} in {ids:#?}"))
    }

    pub(super) fn row(&self, name: &str) -> &HandleType {
        self.rules.handle_types.iter().find(|row| row.name == name).expect("a row")
    }

    pub(super) fn errors(&self, symbol: &str) -> &ErrorList {
        self.rules.error_lists.iter().find(|list| list.symbol == symbol).expect("a list")
    }

    /// The rules whose ids begin with `start`: the rest of the id, the predicate, and the conditions other than the type.
    pub(super) fn ids(&self, start: &str) -> Vec<String> {
        let of = self.rules.rules.iter().filter_map(|rule| Some((rule.id.strip_prefix(start)?, rule)));
        of.map(|(rest, rule)| {
            let others = rule.when.iter().map(ToString::to_string).filter(|condition| !condition.starts_with("type in"));
            others.fold(format!("{rest} {}", rule.predicate), |text, condition| format!("{text} if {condition}"))
        })
        .collect()
    }
}

fn member(name: &str, ctype: &str) -> Member {
    Member {
        name: name.to_owned(),
        ctype: ctype.parse().unwrap(),
        narrow_type: None,
        offset: PerTarget::default(),
        nameless: false,
        lifetime: Lifetime::default(),
    }
}

fn record(name: &str, kind: RecordKind, parent: Option<&str>, members: Vec<Member>) -> Record {
    Record {
        name: name.to_owned(),
        kind,
        size: PerTarget::same(8),
        align: PerTarget::same(8),
        parent: parent.map(str::to_owned),
        lifetime: Lifetime::default(),
        windows: false,
        members,
    }
}

fn command(symbol: &str, parameters: &[(&str, &str)]) -> Command {
    let parameter = |(name, ctype): &(&str, &str)| Parameter {
        name: (*name).to_owned(),
        ctype: ctype.parse().unwrap(),
        lifetime: Lifetime::default(),
    };
    Command {
        symbol: symbol.to_owned(),
        name: symbol.to_owned(),
        version: None,
        per_thread_symbol: None,
        per_thread_version: None,
        error_channel: ErrorChannel::Return,
        returns: CType::named("CUresult"),
        group: None,
        header: None,
        lifetime: Lifetime::default(),
        windows: false,
        parameters: parameters.iter().map(parameter).collect(),
    }
}

fn enumeration(name: &str, values: &[(&str, i128)]) -> Enumeration {
    let enumerator = |(name, value): &(&str, i128)| Enumerator {
        name: (*name).to_owned(),
        value: Value::Decimal(*value),
        alias_of: None,
        lifetime: Lifetime::default(),
    };
    Enumeration {
        name: name.to_owned(),
        repr: "u32".to_owned(),
        kind: EnumerationKind::Choice,
        lifetime: Lifetime::default(),
        windows: false,
        enumerators: values.iter().map(enumerator).collect(),
    }
}

/// The declarations that the comments speak of.
fn model() -> Model {
    const DESC: &str = "CUDA_EXTERNAL_LAMP_DESC_v1";
    let mut model = Model::empty(Api::Cuda);
    model.releases.push("1.2.3".to_owned());
    let handle = format!("{DESC}_handle");
    let win32 = format!("{handle}_win32");
    let members = vec![
        member("type", "CUexternalLampType"),
        member("handle", &handle),
        member("flags", "u32"),
        member("reserved", "[u32; 16]"),
    ];
    model.records.push(record(DESC, RecordKind::Struct, None, members));
    let members = vec![member("fd", "i32"), member("win32", &win32), member("object", "*const c_void")];
    model.records.push(record(&handle, RecordKind::Union, Some(DESC), members));
    let members = vec![member("handle", "*mut c_void"), member("name", "*const c_void")];
    model.records.push(record(&win32, RecordKind::Struct, Some(&handle), members));
    model.aliases.push(Alias {
        name: "CUDA_EXTERNAL_LAMP_DESC".to_owned(),
        ctype: CType::named(DESC),
        lifetime: Lifetime::default(),
        windows: false,
    });
    let values = [
        ("CU_EXTERNAL_LAMP_HANDLE_TYPE_FD", 1),
        ("CU_EXTERNAL_LAMP_HANDLE_TYPE_WIN32", 2),
        ("CU_EXTERNAL_LAMP_HANDLE_TYPE_KMT", 3),
        ("CU_EXTERNAL_LAMP_HANDLE_TYPE_OBJECT", 4),
    ];
    model.enumerations.push(enumeration("CUexternalLampType", &values));
    model.enumerations.push(enumeration("CUresult", &[("CUDA_SUCCESS", 0), ("CUDA_ERROR_COLD", 1)]));
    model.constants.push(Constant {
        name: "CUDA_EXTERNAL_LAMP_BRIGHT".to_owned(),
        ctype: CType::named("u32"),
        value: Value::Hex(1),
        lifetime: Lifetime::default(),
        windows: false,
    });
    model.commands.push(command("cuImportExternalMemoryLamp", &[("desc", "*const CUDA_EXTERNAL_LAMP_DESC")]));
    model.commands.push(command("cuLampMake", &[("lamp", "*mut u32")]));
    model.commands.push(command("cuLampTurn", &[("lamp", "u32")]));
    model.commands.push(command("cuLampUndocumented", &[]));
    model
}
