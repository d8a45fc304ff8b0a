/// The same as a class that lives in memory only.
final class PlainTicket {
    var identifier: Int?
    var number = 0
    var title = ""
    var body = ""
    var state = ""
    var isLocked = false
    var votes = 0
    var comments = 0
    var priority = 0
    var score = 0.0
    var url = ""
    var labelNames = ""
    var milestoneName: String?
    var closedAt: String?
    var author: PlainAuthor?
}

final class PlainAuthor {
    var identifier: Int?
    var name = ""
}
