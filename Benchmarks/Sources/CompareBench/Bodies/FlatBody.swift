/// A body that can be written without its nested objects.
protocol FlatBody {
    var isFlat: Bool { get set }
}

extension FlatBody {
    var flat: Self {
        var body = self
        body.isFlat = true
        return body
    }
}

extension IssueBody: FlatBody {}
extension MilestoneBody: FlatBody {}
extension RepositoryBody: FlatBody {}
