enum DemoLabels {
    /// GitHub's nine default labels; in Hello-World also names that URLs must escape.
    static func all(in repository: Repository) -> [Label] {
        let own = repository.name == "Hello-World" ? ownRows : []
        return (defaultRows + own).enumerated().map { index, row in
            Label(
                id: repository.id * 1_000 + index, name: row.name, color: row.color, description: row.description,
                isDefault: index < defaultRows.count)
        }
    }

    private typealias Row = (name: String, color: String, description: String?)

    private static let defaultRows: [Row] = [
        ("bug", "d73a4a", "Something isn't working"),
        ("documentation", "0075ca", "Improvements or additions to documentation"),
        ("duplicate", "cfd3d7", "This issue or pull request already exists"),
        ("enhancement", "a2eeef", "New feature or request"),
        ("good first issue", "7057ff", "Good for newcomers"),
        ("help wanted", "008672", "Extra attention is needed"),
        ("invalid", "e4e669", "This doesn't seem right"),
        ("question", "d876e3", "Further information is requested"),
        ("wontfix", "ffffff", "This will not be worked on"),
    ]

    private static let ownRows: [Row] = [
        ("area/networking", "1d76db", "Sockets and all that"),
        ("size: 100%?", "fbca04", nil),
        ("c++", "0e8a16", nil),
        ("🚀 später", "5319e7", "Not this year"),
    ]
}
