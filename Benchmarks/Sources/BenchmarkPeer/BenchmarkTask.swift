/// What a peer can be asked to do, by the letter that asks for it.
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
    /// Writes what the file says of each issue to `DATABASE.rows`.
    case writeRows = "x"

    /// The body that an import reads.
    var bodyName: String {
        switch self {
        case .importRepositories: "repos.json"
        case .importChanged: "issues-1pct.json"
        default: "issues.json"
        }
    }

    /// Of an import: what its line with the checkpoint begins with.
    var letterWithCheckpoint: String { rawValue.uppercased() }
}
