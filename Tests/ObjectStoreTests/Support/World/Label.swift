import RestfulData

/// A member of issues' lists that has no list of issues itself.
@Model
final class Label {
    var identifier: Int?
    var name = ""
    var color: String?
}
