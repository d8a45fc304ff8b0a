/// 0, 1, 2 and 4 have their meanings in `gh`, others those of BSD's `sysexits.h`.
enum ExitStatus: Int32, CaseIterable {
    case success = 0
    case failure = 1
    case cancelled = 2
    case notAllowed = 4
    case usage = 64
    case invalidData = 65
    case notFound = 66
    case unreachable = 69
    case storeUnusable = 73
    case ioFailed = 74
    case tryLater = 75
    case notUnderstood = 76

    var meaning: String {
        switch self {
        case .success: "done"
        case .failure: "anything that has no number below"
        case .cancelled: "cancelled, as by a question that was not answered with yes"
        case .notAllowed: "a token is missing, wrong, or may not do this"
        case .usage: "the arguments make no command"
        case .invalidData: "the server refused the values, or they conflict with its own"
        case .notFound: "the server has no such thing"
        case .unreachable: "no connection to the server"
        case .storeUnusable: "the store's file is no database, or can't be opened or written"
        case .ioFailed: "reading or writing failed: a full disk, a damaged store"
        case .tryLater: "a limit, a time-out, or a server in trouble: the same may work later"
        case .notUnderstood: "the reply is not what GitHub sends, for example an HTML page"
        }
    }

    /// For the help.
    static var table: String {
        allCases.map { status in
            let number = String(status.rawValue)
            return String(repeating: " ", count: 4 - number.count) + number + "  " + status.meaning
        }.joined(separator: "\n")
    }
}
