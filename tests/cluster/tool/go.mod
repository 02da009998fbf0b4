module ptah.run/cluster/tool

go 1.26.0
