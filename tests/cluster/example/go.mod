module ptah.run/cluster/example

go 1.26.0
