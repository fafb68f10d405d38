"""Solvers of the joint system A λ = b, A = G M⁻¹ Gᵀ, behind one interface."""
