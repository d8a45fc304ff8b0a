import RestfulData

/// The properties that the tasks read, which both declarations of an issue have.
protocol IssueModel: Model {
    var identifier: Int? { get }
    var number: Int { get }
    var title: String { get }
    var user: User? { get }
    var labels: [Label] { get }
}

extension Issue: IssueModel {}
extension DatedIssue: IssueModel {}
