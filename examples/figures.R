# Two figures of a study, in base R: which maturities decide the fit, and on which days it needs review.
#
#   calibscope run examples/caps.csv --curve examples/ois.csv --store study.db
#   calibscope export study.db --csv results
#   Rscript examples/figures.R study.db results figures.pdf
#
# The store is an SQLite file: install.packages("RSQLite"), or apt install r-cran-rsqlite. RAG statuses follow from
# the limits in force when one asks, so they are not in the store but in the export.

library(DBI)

given <- commandArgs(trailingOnly = TRUE)
store <- if (length(given) > 0) given[1] else "study.db"
folder <- if (length(given) > 1) given[2] else "results"
output <- if (length(given) > 2) given[3] else "figures.pdf"
if (!file.exists(store)) stop(store, ": no such study; calibscope run makes one") # SQLite would make an empty one

# 1. The store, by SQL. A row that a later run has replaced has the number of that run in superseded_by.
connection <- dbConnect(RSQLite::SQLite(), store, flags = RSQLite::SQLITE_RO)
leverage <- dbGetQuery(connection, "
  SELECT days.date, quotes.maturity, quotes.leverage
  FROM quotes JOIN days USING (day_id)
  WHERE days.superseded_by IS NULL AND quotes.kind = 'cap' AND quotes.leverage IS NOT NULL
    AND days.model = (SELECT model FROM days ORDER BY day_id LIMIT 1)
  ORDER BY days.date")
synthetic <- dbGetQuery(connection, "SELECT max(is_synthetic) AS yes FROM runs")$yes == 1
dbDisconnect(connection)
leverage$date <- as.Date(leverage$date)

# 2. The export: one CSV file per table, with units in the headers ("rmsre [relative]").
read_table <- function(name) {
  table <- read.csv(file.path(folder, paste0(name, ".csv")), check.names = FALSE)
  names(table) <- sub(" \\[.*\\]$", "", names(table))
  table$date <- as.Date(table$date)
  table
}
days <- merge(read_table("days")[c("date", "rmsre")], read_table("rag"), by = "date")
days <- days[!is.na(days$rmsre), ]

# Okabe and Ito's colours, safe with any colour vision; symbols tell RAG statuses apart in grey.
colours <- c(green = "#009E73", amber = "#E69F00", red = "#D55E00")
symbols <- c(green = 1, amber = 17, red = 15)
label <- if (synthetic) "SYNTHETIC market" else ""

pdf(output, width = 9, height = 4.5)
par(mar = c(3, 4.5, 3, 1), las = 1, cex.main = 1.1)

# Which maturities decide the fit? One row of colour per maturity: 1 means that the fit must meet the quote.
dates <- sort(unique(leverage$date))
maturities <- sort(unique(leverage$maturity))
cells <- matrix(NA_real_, length(dates), length(maturities))
cells[cbind(match(leverage$date, dates), match(leverage$maturity, maturities))] <- leverage$leverage
steps <- seq(0, 1, 0.1)
shades <- hcl.colors(length(steps) - 1, "Blues", rev = TRUE)
layout(matrix(1:2, 1), widths = c(8, 1))
image(seq_along(dates), seq_along(maturities), cells, col = shades, breaks = steps, axes = FALSE, xlab = "", ylab = "",
      main = "Which maturities decide the fit?")
ticks <- unique(round(seq(1, length(dates), length.out = min(6, length(dates)))))
axis(1, at = ticks, labels = format(dates[ticks], "%b %Y"))
axis(2, at = seq_along(maturities), labels = paste0(maturities, "Y"))
mtext(label, side = 3, adj = 0, cex = 0.8)
box()
par(mar = c(3, 0.5, 3, 2.5))
image(1, steps[-1] - 0.05, matrix(steps[-1] - 0.05, 1), col = shades, breaks = steps, axes = FALSE, xlab = "",
      ylab = "", main = "leverage", cex.main = 0.9)
axis(4, at = steps[c(TRUE, FALSE)])
box()

# On which days does the fit need review?
layout(1)
par(mar = c(3, 4.5, 3, 1))
days <- days[order(match(days$rag, names(colours))), ] # red on top
plot(days$date, 100 * days$rmsre, log = "y", pch = symbols[days$rag], col = colours[days$rag], xlab = "",
     ylab = "RMSRE, %", main = "")
title("On which days does the fit need review?", line = 1.8)
counts <- table(factor(days$rag, names(colours)))
legend("bottomright", legend = sprintf("%s (%d)", names(colours), counts), pch = symbols, col = colours, bty = "n",
       horiz = TRUE, inset = c(0, 1), xpd = TRUE)
mtext(label, side = 3, adj = 0, cex = 0.8)
invisible(dev.off())

means <- tapply(leverage$leverage, leverage$maturity, mean)
cat(sprintf("%d days, %s to %s\n", length(dates), min(dates), max(dates)))
cat(sprintf("mean leverage: %s\n", paste0(names(means), "Y ", sprintf("%.2f", means), collapse = ", ")))
cat(sprintf("RAG: %s\n", paste(counts, names(counts), collapse = ", ")))
cat("Figures: ", output, "\n", sep = "")
