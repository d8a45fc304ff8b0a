import RestfulData

/// A member of issues' lists that lacks a list of issues itself.
@Model
final class Label {
    var identifier: Int?
    var name = ""
    var color: String?
}
