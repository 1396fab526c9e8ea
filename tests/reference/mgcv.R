# Fit mgcv's default additive model to every table of a folder and print what summary(gam) says of each term.
#
#   Rscript mgcv.R FOLDER [METHOD]
#
# FOLDER holds NAME.csv files: column y, then x1, x2, ...; a file name ending in _kK asks for K basis functions
# instead of the default. METHOD is mgcv's ("GCV.Cp", its default, or "REML").
suppressMessages(library(mgcv))
arguments <- commandArgs(trailingOnly = TRUE)
method <- if (length(arguments) > 1) arguments[2] else "GCV.Cp"
cat("case,term,p_value,edf,edf1,statistic,criterion,deviance,seconds\n")
for (file in sort(list.files(arguments[1], pattern = "[.]csv$", full.names = TRUE))) {
  name <- sub("[.]csv$", "", basename(file))
  table <- read.csv(file)
  k <- if (grepl("_k[0-9]+$", name)) as.integer(sub(".*_k", "", name)) else -1L
  terms <- paste0("s(", names(table)[-1], ", k = ", k, ")", collapse = " + ")
  seconds <- system.time(fit <- gam(as.formula(paste("y ~", terms)), data = table, method = method))[1]
  told <- summary(fit)
  for (i in seq_along(fit$smooth)) {
    block <- fit$smooth[[i]]$first.para:fit$smooth[[i]]$last.para
    cat(sprintf("%s,%d,%.8g,%.8g,%.8g,%.8g,%.10g,%.10g,%.3f\n", name, i, told$s.pv[i], told$edf[i],
                sum(fit$edf1[block]), told$chi.sq[i], fit$gcv.ubre, sum(fit$residuals^2), seconds))
  }
}
