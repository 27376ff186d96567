module woodbird

go 1.19
