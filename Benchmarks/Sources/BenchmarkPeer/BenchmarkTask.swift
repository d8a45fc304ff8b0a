/// The tasks of a peer, by their letters.
enum BenchmarkTask: Character {
    case importCold = "a"
    case importUnchanged = "b"
    case importChanged = "c"
    case importOne = "d"
    case importRepositories = "r"
    case fetchAll = "f"
    case lookUp = "g"
    case followUsers = "h"
    /// Imports `store.json`: how a store gets its size before `importOne`.
    case fill = "s"
    /// Writes the file's values of each issue to `DATABASE.rows`.
    case writeRows = "x"

    /// The body that an import reads.
    var bodyName: String {
        switch self {
        case .importRepositories: "repos.json"
        case .importChanged: "issues-1pct.json"
        default: "issues.json"
        }
    }

    /// Of an import: the first words of its line with the checkpoint.
    var letterWithCheckpoint: String { rawValue.uppercased() }
}
